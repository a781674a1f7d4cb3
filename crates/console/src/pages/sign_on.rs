//! Coming in by the identity provider: leaving for it, and arriving from it.

use super::signin::begin;
use crate::cookie::CookieJar;
use crate::fields::Fields;
use crate::html::message;
use crate::response::{html, see};
use crate::sessions::{Who, hash};
use crate::state::Console;
use edge::http::{AuthError, KeptCredential, Page, SignOnError, Visit};
use hyper::StatusCode;
use hyper::header::SET_COOKIE;
use subtle::ConstantTimeEq;

pub(crate) async fn leave(console: &Console, visit: &Visit) -> Page {
    let Some((sign_on, _)) = console.provider() else { return see("/signin") };
    let departure = match sign_on.begin().await {
        Ok(departure) => departure,
        Err(error) => return failed(&error),
    };
    let mut page = see(&departure.address);
    if let Some(cookie) = CookieJar::for_sign_on(&visit.parts.headers).set(&departure.state) {
        page.headers_mut().insert(SET_COOKIE, cookie);
    }
    page
}

/// The state must be the one that this browser left with: otherwise somebody else's sign-on could be put into it.
pub(crate) async fn arrive(console: &Console, visit: &Visit, query: &Fields) -> Page {
    let Some((sign_on, authenticator)) = console.provider() else { return see("/signin") };
    let (headers, state) = (&visit.parts.headers, query.get("state"));
    let jar = CookieJar::for_sign_on(headers);
    let is_own = jar
        .tokens(headers)
        .any(|left_with| !left_with.is_empty() && bool::from(hash(left_with).ct_eq(&hash(state))));
    if !is_own {
        return failed(&SignOnError("it was begun in another browser".to_owned()));
    }
    let arrival = match sign_on.finish(state, query.get("code")).await {
        Ok(arrival) => arrival,
        Err(error) => return failed(&error),
    };
    match authenticator.arrived(&arrival).await {
        Ok(principal) => {
            let kept = KeptCredential::of(&arrival.id_token);
            begin(console, visit, Who::Shown(kept), principal.id.to_string())
        }
        Err(AuthError::Unauthorized) => failed(&SignOnError("its ID token was turned away".to_owned())),
        Err(AuthError::Unchecked(error)) => failed(&SignOnError(error.to_string())),
    }
}

fn failed(error: &SignOnError) -> Page {
    tracing::warn!(reason = %error.0, "somebody could not sign on");
    let text = "You could not be signed in. Go back to the first page and try again; the log of the server says why.";
    html(StatusCode::UNAUTHORIZED, message("Not signed in", text))
}
