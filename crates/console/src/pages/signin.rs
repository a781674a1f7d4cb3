//! Coming in: by an API key, or by the one-time address of this machine. By the identity provider: `sign_on.rs`.

use crate::fields::Fields;
use crate::html::{message, shell};
use crate::response::{html as page, see};
use crate::sessions::Who;
use crate::state::{Console, Entrance};
use edge::http::{AuthError, KeptCredential, Page, Visit};
use hyper::header::SET_COOKIE;
use hyper::{Method, StatusCode};
use maud::html;
use std::time::Instant;

const TITLE: &str = "Sign in";

/// Says that the browser comes from signing in, so it has a session, unless it did not keep the cookie.
pub(crate) const ARRIVED: &str = "arrived";

pub(crate) fn show(console: &Console, is_signed_in: bool) -> Page {
    if is_signed_in { see("./") } else { form(console, StatusCode::OK, None) }
}

fn form(console: &Console, status: StatusCode, wrong: Option<&str>) -> Page {
    let main = html! {
        h1 { (TITLE) }
        @if let Some(wrong) = wrong { p.trouble role="alert" { (wrong) } }
        @match &console.entrance {
            Entrance::OneTimeAddress => {
                p { "This console is for the person at this machine. Run " code { "svc console" } " and open the address that it prints." }
            }
            Entrance::Credentials { sign_on, .. } => {
                @if let Some(sign_on) = sign_on {
                    p { a.button href="sign-on" { "Sign in at " (sign_on.issuer()) } }
                }
                form.card method="post" action="signin" {
                    label for="key" { "API key" }
                    input id="key" name="key" type="password" required autocomplete="current-password" spellcheck="false";
                    button { (TITLE) }
                }
            }
        }
    };
    page(status, shell(TITLE, None, &main, None))
}

pub(crate) async fn sign_in(console: &Console, visit: &Visit, fields: &Fields) -> Page {
    let kept = KeptCredential::of(fields.get("key").trim());
    match console.principal(&kept).await {
        Ok(principal) => begin(console, visit, Who::Shown(kept), principal.id.to_string()),
        Err(AuthError::Unauthorized) => {
            let wrong = "This key is not valid. It may have been mistyped, revoked, or have expired.";
            form(console, StatusCode::UNAUTHORIZED, Some(wrong))
        }
        Err(AuthError::Unchecked(error)) => {
            tracing::error!(%error, "a key could not be checked");
            let wrong = "The key could not be checked, because the database does not answer. Try again.";
            form(console, StatusCode::INTERNAL_SERVER_ERROR, Some(wrong))
        }
    }
}

pub(crate) fn open(console: &Console, visit: &Visit, token: &str) -> Page {
    // A browser that only guesses where a person wants to go, or a program that looks what is behind a link, must not use
    // the address up.
    if visit.parts.method != Method::GET || visit.parts.headers.contains_key("sec-purpose") {
        let text = "This address is for a person to open, and was not used up.";
        return page(StatusCode::BAD_REQUEST, message("Not opened", text));
    }
    let is_local = matches!(console.entrance, Entrance::OneTimeAddress);
    if !is_local || !console.take_ticket(token, Instant::now()) {
        let text = "This address has been used, or is too old. If it was not you who used it, stop svc console. Run svc \
            console again for a new one.";
        return page(StatusCode::GONE, message("This address does not work", text));
    }
    begin(console, visit, Who::Local, "local".to_owned())
}

/// Ends the session that this browser had, whose cookie is replaced. Goes on by a page of our own rather than by a
/// redirect: after one that began elsewhere, a browser would not show the new cookie.
pub(super) fn begin(console: &Console, visit: &Visit, who: Who, caller: String) -> Page {
    let headers = &visit.parts.headers;
    if let Some((former, _)) = console.session(headers) {
        console.sessions.end(&former);
    }
    let jar = console.cookie_jar(headers);
    let begun = console.sessions.begin(who, caller, Instant::now()).ok();
    let cookie = begun.and_then(|token| jar.set(&token));
    let Some(cookie) = cookie else {
        tracing::error!("the system has no random bytes, so nobody can sign in");
        let text = "You could not be signed in. The log says why.";
        return page(StatusCode::INTERNAL_SERVER_ERROR, message("Try again", text));
    };
    let main = html! {
        h1 { "Signed in" }
        p { a href=(jar.path()) { "To the console" } }
    };
    let refresh = format!("0; url={}?{ARRIVED}=1", jar.path());
    let mut page = page(StatusCode::OK, shell("Signed in", None, &main, Some(&refresh)));
    page.headers_mut().insert(SET_COOKIE, cookie);
    page
}

pub(crate) fn not_kept() -> Page {
    let text = "You were signed in, but your browser did not keep the session. Over plain http it keeps one for this machine's \
        own name alone: open the console over https. If you did, allow it to set cookies.";
    page(StatusCode::BAD_REQUEST, message("Not signed in", text))
}
