//! Who has a key: making, rotating and revoking them.

use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::Fields;
use crate::html::{form_token, when};
use crate::shown::Shown;
use domain::{PrincipalKind, Role, Timestamp};
use maud::{Markup, html};
use serde_json::{Map, Value};
use service::{Created, PrincipalList, Quotas, RotatedKey};
use store::PrincipalState;

pub(super) async fn show(desk: &Desk) -> Result<Shown, Trouble> {
    let list = reply_of!(desk.call("list_principals", Map::new()).await?, ListPrincipals);
    let main = html! {
        h1 { "People and keys" }
        (table(desk, &list))
        (quotas(desk.service().quotas()))
        (create_form(desk))
    };
    Ok(Shown::page("People and keys", main))
}

fn table(desk: &Desk, list: &PrincipalList) -> Markup {
    html! {
        @if list.principals.is_empty() { p role="status" { "Nobody has a key yet." } }
        @else {
            table {
                caption.hidden { "Principals" }
                thead { tr {
                    th scope="col" { "Name" } th scope="col" { "Role" } th scope="col" { "Kind" } th scope="col" { "Users in scope" }
                    th scope="col" { "Key" } th scope="col" { "Change" }
                } }
                tbody { @for state in &list.principals { (row(desk, state, list.now)) } }
            }
        }
        @for id in &list.damaged {
            p.trouble { (id) " cannot be read: its row is damaged, and its key does not work. See svc fsck." }
        }
    }
}

fn row(desk: &Desk, state: &PrincipalState, now: Timestamp) -> Markup {
    let principal = &state.principal;
    let id = principal.id.to_string();
    html! {
        tr {
            th scope="row" data-label="Name" {
                (principal.name) p.where { (id) @if !principal.tenant.is_default() { ", tenant " (principal.tenant) } }
            }
            td data-label="Role" { (principal.role) }
            td data-label="Kind" { (principal.kind.word()) }
            td data-label="Users in scope" { (principal.scopes) }
            td data-label="Key" {
                @match (state.revoked, state.expires) {
                    (Some(at), _) => { "revoked " (when(at)) }
                    (None, Some(at)) if at <= now => { "expired " (when(at)) }
                    (None, Some(at)) => { "works until " (when(at)) }
                    (None, None) => "works",
                }
                @if let Some(until) = state.former_until.filter(|until| *until > now) { p.where { "the old key works until " (when(until)) } }
            }
            td data-label="Change" {
                @if state.revoked.is_none() {
                    details {
                        summary { "Rotate or revoke" span.hidden { " the key of " (principal.name) } }
                        form method="post" action="rotate-key" {
                            (form_token(desk))
                            input type="hidden" name="id" value=(id);
                            label { "Old key works for " input name="overlap" value="24h" size="6" required; }
                            label { "New key works for " input name="expires" size="6" placeholder="90d, never"; }
                            button.quiet { "Rotate" }
                        }
                        form method="post" action="revoke-key" {
                            (form_token(desk))
                            input type="hidden" name="id" value=(id);
                            button.danger { "Revoke at once" }
                        }
                    }
                }
            }
        }
    }
}

/// The quotas are settings of the deployment.
fn quotas(quotas: &Quotas) -> Markup {
    let calls = |number: Option<usize>| number.map_or_else(no_limit, |number| number.to_string());
    let held = |number: Option<i64>| number.map_or_else(no_limit, |number| number.to_string());
    let rows =
        [("each key", quotas.key, quotas.storage.key), ("each tenant", quotas.tenant, quotas.storage.tenant)];
    html! {
        section aria-labelledby="quotas" {
            h2 id="quotas" { "Quotas" }
            table {
                caption.hidden { "Quotas" }
                thead { tr {
                    th scope="col" { "Of" } th scope="col" { "Calls a minute" } th scope="col" { "Calls at once" }
                    th scope="col" { "Facts" } th scope="col" { "Bytes" }
                } }
                tbody {
                    @for (of, quota, storage) in rows {
                        tr {
                            th scope="row" data-label="Of" { (of) }
                            td data-label="Calls a minute" { (calls(quota.calls_per_minute)) }
                            td data-label="Calls at once" { (calls(quota.concurrent)) }
                            td data-label="Facts" { (held(storage.facts)) }
                            td data-label="Bytes" { (held(storage.bytes)) }
                        }
                    }
                }
            }
            p { "They are set by SVC_QUOTA_KEY_CALLS and the settings beside it, for the whole deployment." }
        }
    }
}

fn no_limit() -> String {
    "no limit".to_owned()
}

fn create_form(desk: &Desk) -> Markup {
    html! {
        section aria-labelledby="create" {
            h2 id="create" { "Give somebody a key" }
            form.card method="post" action="create-key" {
                (form_token(desk))
                label for="name" { "Name" }
                input id="name" name="name" required autocomplete="off";
                label for="role" { "Role" }
                select id="role" name="role" {
                    @for role in Role::ALL { option value=(role.word()) selected[role == Role::Member] { (role.word()) } }
                }
                label for="kind" { "Kind" }
                select id="kind" name="kind" { @for kind in PrincipalKind::ALL { option value=(kind.word()) { (kind.word()) } } }
                label for="scopes" { "Users in scope, with commas between; empty is all" }
                input id="scopes" name="scopes" autocomplete="off";
                label for="expires" { "Works for, such as 90d; empty is until it is revoked" }
                input id="expires" name="expires" autocomplete="off";
                @if desk.is_operator() {
                    label for="tenant" { "Tenant; empty is yours" }
                    input id="tenant" name="tenant" autocomplete="off";
                }
                button { "Create" }
            }
        }
    }
}

pub(super) async fn create(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let arguments = fields.arguments(&["name", "role", "kind", "scopes", "expires", "tenant"]);
    let created = reply_of!(desk.call("create_principal", arguments).await?, CreatePrincipal);
    Ok(match &created {
        Created::Made { principal, key, .. } => key_page(&format!("The key of {}", principal.name), key),
        Created::SeatsTaken { .. } => Shown::told("people", created.to_string()),
    })
}

pub(super) async fn rotate(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let mut arguments = fields.arguments(&["overlap", "expires"]);
    arguments.insert("principal_id".to_owned(), fields.get("id").into());
    let rotated = reply_of!(desk.call("rotate_principal", arguments).await?, RotatePrincipal);
    Ok(match &rotated {
        RotatedKey::Done { state, key } => key_page(&format!("The new key of {}", state.principal.name), key),
        RotatedKey::ExpiryUnsaid { .. } => Shown::told(
            "people",
            "Not rotated: this key expires, so say how long the new one works, such as 90d, or never.",
        ),
        RotatedKey::Unknown { .. } => Shown::told("people", rotated.to_string()),
    })
}

pub(super) async fn revoke(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let arguments = Map::from_iter([("principal_id".to_owned(), Value::from(fields.get("id")))]);
    let revoked = reply_of!(desk.call("revoke_principal", arguments).await?, RevokePrincipal);
    Ok(Shown::told("people", revoked.to_string()))
}

/// A key is shown in the answer to the form itself, and kept nowhere.
fn key_page(title: &str, key: &str) -> Shown {
    let main = html! {
        h1 { (title) }
        p { "It is shown once. Keep it now." }
        p.key { code { (key) } }
        p { a href="people" { "Back" } }
    };
    Shown::page(title, main)
}
