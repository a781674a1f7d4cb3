//! Who has a key: making, changing, rotating and revoking them.

use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::Fields;
use crate::foreign::foreign;
use crate::html::{form_token, when};
use crate::sessions::NewKey;
use crate::shown::Shown;
use domain::{Principal, PrincipalKind, Quota, Role, Timestamp, limits};
use hyper::StatusCode;
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
                (foreign(&principal.name)) p.where { (id) @if !principal.tenant.is_default() { ", tenant " (foreign(&principal.tenant.to_string())) } }
            }
            td data-label="Role" { (principal.role) }
            td data-label="Kind" { (principal.kind.word()) }
            td data-label="Users in scope" { (foreign(&principal.scopes.to_string())) }
            td data-label="Key" {
                @match (state.revoked, state.expires) {
                    (Some(at), _) => { "revoked " (when(at)) }
                    (None, Some(at)) if at <= now => { "expired " (when(at)) }
                    (None, Some(at)) => { "works until " (when(at)) }
                    (None, None) => "works",
                }
                @if !principal.quotas.are_none() { p.where { "at most " (principal.quotas) } }
                @if let Some(until) = state.former_until.filter(|until| *until > now) { p.where { "the old key works until " (when(until)) } }
            }
            td data-label="Change" {
                @if state.revoked.is_none() {
                    details {
                        summary { "Change, rotate or revoke" span.hidden { " the key of " (foreign(&principal.name)) } }
                        (change_form(desk, principal))
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

/// What it begins with goes along, so that only what somebody changed here is changed, and not what another admin did
/// meanwhile.
fn change_form(desk: &Desk, principal: &Principal) -> Markup {
    let scopes = principal.scopes.to_string();
    // Each row has such a form.
    let field = |name: &str| format!("{name}-{}", principal.id);
    html! {
        form.card method="post" action="change-key" {
            (form_token(desk))
            input type="hidden" name="id" value=(principal.id);
            label for=(field(SCOPES)) { "Users in scope, or * for all" }
            input id=(field(SCOPES)) name=(SCOPES) value=(scopes) required autocomplete="off" spellcheck="false";
            input type="hidden" name=(was(SCOPES)) value=(scopes);
            @for quota in Quota::ALL {
                @let name = quota.word();
                @let most = principal.quotas.get(quota).map_or_else(String::new, |most| most.to_string());
                label for=(field(name)) { "Quota of " (quota.label()) }
                input id=(field(name)) type="number" name=(name) value=(most) min="1" max=(limits::OWN_QUOTA);
                input type="hidden" name=(was(name)) value=(most);
            }
            p { "An empty quota is none of its own." }
            button.quiet { "Change" }
        }
    }
}

const SCOPES: &str = "scopes";

/// The field that says what another one began with.
fn was(name: &str) -> String {
    format!("{name}_was")
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
            p {
                "They are set by SVC_QUOTA_KEY_CALLS and the settings beside it, for the whole deployment. A key can have \
                 lower ones of its own."
            }
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
                input id="name" name="name" required maxlength=(limits::NAME_BYTES) autocomplete="off";
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
    if let Some(wrong) = wrong_name(fields.get("name").trim()) {
        return Err(Trouble { status: StatusCode::BAD_REQUEST, text: wrong });
    }
    let arguments = fields.arguments(&["name", "role", "kind", "scopes", "expires", "tenant"]);
    let created = reply_of!(desk.call("create_principal", arguments).await?, CreatePrincipal);
    Ok(match &created {
        Created::Made { principal, key, .. } => key_made(desk, format!("The key of {}", principal.name), key),
        Created::SeatsTaken { .. } => Shown::told("people", created.to_string()),
    })
}

fn wrong_name(name: &str) -> Option<String> {
    match name.len() {
        0 => Some(
            "No key was made: give it a name, such as that of the person or agent who is to use it."
                .to_owned(),
        ),
        long if long > limits::NAME_BYTES => Some(format!(
            "No key was made: its name is too long. It takes {long} bytes, and may take {}. Choose a shorter one.",
            limits::NAME_BYTES
        )),
        _ => None,
    }
}

pub(super) async fn change(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let is_other = |name: &str| fields.has(name) && fields.get(name).trim() != fields.get(&was(name));
    let mut arguments = Map::new();
    if is_other(SCOPES) {
        arguments.insert(SCOPES.to_owned(), fields.get(SCOPES).into());
    }
    for name in Quota::ALL.map(Quota::word).into_iter().filter(|name| is_other(name)) {
        let most = match fields.get(name).trim() {
            "" => "none",
            most => most,
        };
        arguments.insert(name.to_owned(), most.into());
    }
    if arguments.is_empty() {
        return Ok(Shown::told("people", "Nothing was changed."));
    }
    arguments.insert("principal_id".to_owned(), fields.get("id").into());
    let changed = reply_of!(desk.call("change_principal", arguments).await?, ChangePrincipal);
    Ok(Shown::told("people", changed.to_string()))
}

pub(super) async fn rotate(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let mut arguments = fields.arguments(&["overlap", "expires"]);
    arguments.insert("principal_id".to_owned(), fields.get("id").into());
    let rotated = reply_of!(desk.call("rotate_principal", arguments).await?, RotatePrincipal);
    Ok(match &rotated {
        RotatedKey::Done { state, key } => {
            key_made(desk, format!("The new key of {}", state.principal.name), key)
        }
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

/// A key is shown on a page of its own: were it in the answer to the form, whoever loads that again would make another.
fn key_made(desk: &Desk, of: String, key: &str) -> Shown {
    desk.session.keep_key(of, key.to_owned());
    Shown::next("new-key")
}

pub(super) fn new_key(desk: &Desk) -> Shown {
    let Some(NewKey { of, key }) = desk.session.take_key() else {
        return Shown::told("people", "A key is shown once. If it was not kept, rotate it for a new one.");
    };
    let main = html! {
        h1 { (foreign(&of)) }
        p { "It is shown once. Keep it now." }
        p.key { code { (key) } }
        p { a href="people" { "Back" } }
    };
    Shown::page(of, main)
}
