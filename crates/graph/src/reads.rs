//! Reading the projection: numbers of facts, never facts.

use crate::connection::{Graph, Member};
use crate::error::GraphError;
use crate::projection::FactNode;
use domain::{EntityKey, FactId, SpaceId, Tenant};
use neo4rs::query;
use std::time::Duration;

/// Whoever compares both sides can wait.
const COMPARE_LIMIT: Duration = Duration::from_secs(30);

/// The number is taken from the relationship, so a thing of many facts costs no more than those that are returned.
const FACTS_NAMING: &str = "
    UNWIND $keys AS key
    MATCH (e:MemoryEntity {projection: $projection, tenant: $tenant, space: $space, key: key})
    CALL (e) {
        MATCH (e)<-[n:NAMES]-()
        RETURN n.fact AS fact LIMIT $most
    }
    RETURN key, collect(fact) AS facts
";

/// Ordered by all that the index is over: by the number alone, Neo4j would sort all facts that are left for every page.
const PAGE: &str = "
    MATCH (f:MemoryFact)
    WHERE f.projection = $projection AND f.tenant = $tenant AND f.fact > $after
    WITH f ORDER BY f.projection, f.tenant, f.fact LIMIT $most
    RETURN f.fact AS fact, f.space AS space, [(f)-[:NAMES]->(e) | e.key] AS names
    ORDER BY fact
";

const TENANTS: &str = "
    MATCH (f:MemoryFact)
    WHERE f.projection = $projection AND f.tenant IS NOT NULL AND f.fact IS NOT NULL
    RETURN DISTINCT f.tenant AS tenant
";

impl Graph {
    /// The facts that speak of each of the things, up to so many of each, usually the latest. What the graph does not
    /// know is left out.
    pub async fn facts_naming(
        &self,
        tenant: &Tenant,
        space: SpaceId,
        keys: &[EntityKey],
        most_each: u32,
        within: Duration,
    ) -> Result<Vec<(EntityKey, Vec<FactId>)>, GraphError> {
        let keys: Vec<String> = keys.iter().map(|key| hex::encode(key.0)).collect();
        let statement = query(FACTS_NAMING)
            .param("tenant", tenant.as_str())
            .param("space", space.0)
            .param("keys", keys)
            .param("most", most_each);
        let rows = self.ask(statement, Member::Any, within).await?;
        rows.iter()
            .map(|row| {
                let mut facts: Vec<i64> = row.get("facts")?;
                facts.sort_unstable();
                Ok((key(row.get("key")?)?, facts.into_iter().map(FactId).collect()))
            })
            .collect()
    }

    /// Facts of a tenant by their numbers, with sorted names.
    pub async fn page(&self, tenant: &Tenant, after: FactId, most: u32) -> Result<Vec<FactNode>, GraphError> {
        let statement =
            query(PAGE).param("tenant", tenant.as_str()).param("after", after.0).param("most", most);
        let rows = self.ask(statement, Member::Leader, COMPARE_LIMIT).await?;
        rows.iter()
            .map(|row| {
                let written: Vec<&str> = row.get("names")?;
                let mut names = written.into_iter().map(key).collect::<Result<Vec<_>, _>>()?;
                names.sort_unstable();
                let (space, fact) = (SpaceId(row.get("space")?), FactId(row.get("fact")?));
                Ok(FactNode { tenant: tenant.clone(), space, fact, names })
            })
            .collect()
    }

    /// All tenants of which there is a fact.
    pub async fn tenants(&self) -> Result<Vec<Tenant>, GraphError> {
        let rows = self.ask(query(TENANTS), Member::Leader, COMPARE_LIMIT).await?;
        rows.iter().map(|row| Ok(Tenant::new(row.get::<&str>("tenant")?))).collect()
    }
}

fn key(written: &str) -> Result<EntityKey, GraphError> {
    let mut bytes = [0; 16];
    hex::decode_to_slice(written, &mut bytes).map_err(|_| GraphError::BadReply)?;
    Ok(EntityKey(bytes))
}
