//! Which page a request is for, and what must hold before it is made.

use crate::assets;
use crate::desk::{Desk, Trouble};
use crate::fields::Fields;
use crate::html::{Again, Frame, first, message, notice, trouble};
use crate::pages;
use crate::pages::signin::ARRIVED;
use crate::response::{html, see};
use crate::sessions::{Session, TokenHash};
use crate::shown::Shown;
use crate::state::Console;
use edge::http::{AuthError, Caller, Page, Visit};
use hyper::header::SET_COOKIE;
use hyper::{Method, StatusCode};
use maud::{Markup, html as markup};
use std::sync::Arc;

const NOT_FOUND: &str = "Not found";
const NO_SUCH_PAGE: &str = "There is no such page.";

pub(crate) async fn answer(console: &Console, visit: Visit) -> Page {
    let path = console.page(&visit.parts.uri);
    if assets::is_asset(path) {
        return assets::find(path)
            .unwrap_or_else(|| html(StatusCode::NOT_FOUND, message(NOT_FOUND, NO_SUCH_PAGE)));
    }
    let (is_get, is_post) = (visit.parts.method == Method::GET, visit.parts.method == Method::POST);
    if !is_post && !is_get && visit.parts.method != Method::HEAD {
        return html(StatusCode::METHOD_NOT_ALLOWED, message("Method not allowed", "Send GET or POST."));
    }
    let query = Fields::read(visit.parts.uri.query().unwrap_or_default().as_bytes());
    let found = console.session(&visit.parts.headers);
    match (path, is_post) {
        ("signin", false) => pages::signin::show(console, found.is_some()),
        ("signin", true) => pages::signin::sign_in(console, &visit, &Fields::read(&visit.body)).await,
        ("sign-on", false) if is_get => pages::sign_on::leave(console, &visit).await,
        ("signed-on", false) if is_get => pages::sign_on::arrive(console, &visit, &query).await,
        ("open", false) => pages::signin::open(console, &visit, query.get("token")),
        _ => match found {
            None if path.is_empty() && query.has(ARRIVED) => pages::signin::not_kept(),
            None => see("/signin"),
            Some((token, session)) => {
                let fields = if is_post { Fields::read(&visit.body) } else { query };
                signed_in(console, &visit, &fields, is_post, token, &session).await
            }
        },
    }
}

async fn signed_in(
    console: &Console,
    visit: &Visit,
    fields: &Fields,
    is_post: bool,
    token: TokenHash,
    session: &Arc<Session>,
) -> Page {
    let identity = match console.identity(&session.who).await {
        Ok(identity) => identity,
        Err(AuthError::Unauthorized) => return sign_out(console, visit, token),
        Err(AuthError::Unchecked(error)) => {
            tracing::error!(%error, "a session could not be checked");
            let text = "Who you are could not be checked, because the database does not answer. Try again.";
            return html(StatusCode::INTERNAL_SERVER_ERROR, message("Try again", text));
        }
    };
    if is_post && !session.form_is_ours(fields.get("form")) {
        let text = "This form does not belong to your session, so nothing was done. Open the page again, and send the \
            form from there.";
        return html(StatusCode::FORBIDDEN, message("Not sent", text));
    }
    let path = console.page(&visit.parts.uri);
    if is_post && path == "signout" {
        return sign_out(console, visit, token);
    }
    let request_id = visit.request_id.clone();
    let desk = Desk::new(console.service.clone(), identity, request_id, session.clone());
    let shown = match (path, is_post) {
        ("", false) => Ok(Shown::next(first(&desk))),
        (_, false) => pages::show(path, &desk, fields).await,
        (_, true) => pages::act(path, &desk, fields).await,
    };
    let mut page = framed(&desk, path, shown);
    page.extensions_mut().insert(Caller(session.caller.clone()));
    page
}

fn framed(desk: &Desk, path: &str, shown: Result<Shown, Trouble>) -> Page {
    // Whatever follows a form tells what came of it, also where that is no page.
    let whole = |status: StatusCode, title: &str, main: &Markup, again: Again| {
        let told = desk.session.take_notice();
        let main = markup! {
            @if let Some(told) = &told { (notice(told)) }
            (main)
        };
        html(status, Frame { desk, path }.page(title, &main, again))
    };
    let went_wrong =
        |status: StatusCode, title: &str, text: &str| whole(status, title, &trouble(title, text), Again::No);
    match shown {
        Ok(Shown::Page { status, title, main, again }) => whole(status, &title, &main, again),
        Ok(Shown::Piece(piece)) => html(StatusCode::OK, piece),
        Ok(Shown::Next { path, notice }) => {
            if let Some(notice) = notice {
                desk.session.tell(notice);
            }
            see(&path)
        }
        Ok(Shown::Nothing) => went_wrong(StatusCode::NOT_FOUND, NOT_FOUND, NO_SUCH_PAGE),
        Err(Trouble { status, text }) => went_wrong(status, "That did not work", &text),
    }
}

fn sign_out(console: &Console, visit: &Visit, token: TokenHash) -> Page {
    console.sessions.end(&token);
    let mut page = see("/signin");
    if let Some(cookie) = console.cookie_jar(&visit.parts.headers).clear() {
        page.headers_mut().insert(SET_COOKIE, cookie);
    }
    page
}
