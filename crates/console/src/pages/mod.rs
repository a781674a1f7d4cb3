//! The pages, one file each, with what their forms do.

mod audit;
mod decided;
mod decision;
mod decisions;
mod erase;
mod fact;
mod graph;
mod health;
mod memory;
mod people;
mod receipts;
pub(crate) mod sign_on;
pub(crate) mod signin;
mod space_form;
mod waiting;

use crate::desk::{Desk, Trouble};
use crate::fields::Fields;
use crate::shown::Shown;

pub(crate) async fn show(path: &str, desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    match path {
        "memory" => memory::show(desk, fields).await,
        "fact" => fact::show(desk, fields).await,
        "erase" => erase::show(desk, fields).await,
        "waiting" => waiting::show(desk, fields).await,
        "decided" => decided::show(desk, fields).await,
        "decisions" => decisions::show(desk, fields).await,
        "decision" => decision::show(desk, fields).await,
        "receipts" => receipts::show(desk, fields).await,
        "audit" => audit::show(desk, fields).await,
        "audit-check" => Ok(audit::checked(desk)),
        "witnesses" => audit::witnesses(desk).await,
        "people" => people::show(desk).await,
        "new-key" => Ok(people::new_key(desk)),
        "health" => health::show(desk).await,
        "graph" => graph::show(desk, fields).await,
        _ => Ok(Shown::Nothing),
    }
}

pub(crate) async fn act(path: &str, desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    match path {
        "correct" => fact::correct(desk, fields).await,
        "forget" => fact::forget(desk, fields).await,
        "erase" => erase::erase(desk, fields).await,
        "waiting" => waiting::decide(desk, fields).await,
        "audit-check" => Ok(audit::check(desk)),
        "create-key" => people::create(desk, fields).await,
        "change-key" => people::change(desk, fields).await,
        "rotate-key" => people::rotate(desk, fields).await,
        "revoke-key" => people::revoke(desk, fields).await,
        _ => Ok(Shown::Nothing),
    }
}
