//! Reading: one consistent view of the database, however many queries it takes.

use super::db::PostgresDb;
use super::shared::Shared;
use super::walls::walled;
use crate::StoreError;
use crate::script::{Query, Reach, StoreResult};
use deadpool_postgres::{Client, Object, Pool};
use domain::Place;
use futures_util::future::try_join;
use std::time::{Duration, Instant};

/// A connection for one view, and the place that it is read in. It goes back to the pool only once its transaction has
/// ended; nobody waits for that.
pub(super) struct View(Option<(Client, Option<Place>)>);

impl View {
    pub async fn take(pool: &Pool, place: Option<Place>) -> StoreResult<Self> {
        Ok(Self(Some((pool.get().await?, place))))
    }

    pub fn client(&self) -> StoreResult<&Client> {
        self.0.as_ref().map(|(client, _)| client).ok_or(StoreError::Closed)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        if let (Some((client, place)), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move {
                if client.batch_execute("ROLLBACK").await.is_err() {
                    // It is of no more use, and the pool must not hand it out again.
                    drop(Object::take(client));
                }
                drop(place);
            });
        }
    }
}

pub(super) async fn begin(client: &Client, reach: Reach<'_>) -> StoreResult<()> {
    let begin = format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {}", walled(reach));
    Ok(client.batch_execute(&begin).await?)
}

/// How often a question is asked. A connection that was cut while nobody used it shows that only when it is used, and
/// with it perhaps the next one too.
const TRIES: usize = 3;
/// A cut connection is noticed at once. What took longer was waiting for a server that is away or busy.
const AT_ONCE: Duration = Duration::from_secs(1);

impl Shared {
    pub async fn ask<Q: Query>(&self, query: Q) -> StoreResult<Q::Output> {
        let began = Instant::now();
        let mut asked = self.ask_once(&query).await;
        for _ in 1..TRIES {
            match &asked {
                Err(error) if error.is_lost() && began.elapsed() < AT_ONCE => {
                    asked = self.ask_once(&query).await;
                }
                _ => break,
            }
        }
        asked
    }

    async fn ask_once<Q: Query>(&self, query: &Q) -> StoreResult<Q::Output> {
        if query.is_lookup() {
            let client = self.desk.get().await?;
            return query.run(&mut PostgresDb { client: &client, secrets: &self.secrets }).await;
        }
        let place = self.places.take(&query.account()).await;
        let view = View::take(&self.reading, Some(place)).await?;
        let client = view.client()?;
        let mut db = PostgresDb { client, secrets: &self.secrets };
        // Sent together, and carried out one after the other.
        let (_, answer) = try_join(begin(client, query.reach()), query.run(&mut db)).await?;
        Ok(answer)
    }
}
