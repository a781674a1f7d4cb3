//! The console as the HTTP server sees it.

use crate::assets;
use crate::html::message;
use crate::response::html;
use crate::routes;
use crate::state::Console;
use edge::http::{Page, Site, Visit, Visitor};
use futures_util::future::BoxFuture;
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

const SIGN_IN: &str = "signin";

impl Site for Console {
    fn visitor(&self, parts: &Parts) -> Visitor {
        let path = self.page(&parts.uri);
        // The form is the same for every stranger, and what is sent with it proves itself or is nothing.
        match (path, parts.method == Method::POST) {
            (SIGN_IN, true) => return Visitor::Proving,
            (SIGN_IN, false) => return Visitor::Asset,
            _ if assets::is_asset(path) => return Visitor::Asset,
            _ => {}
        }
        self.session(&parts.headers).map_or(Visitor::Stranger, |(token, _)| Visitor::SignedIn(token))
    }

    fn answer(&self, visit: Visit) -> BoxFuture<'_, Page> {
        Box::pin(routes::answer(self, visit))
    }

    fn refused(&self, status: StatusCode) -> Page {
        let (title, text) = match status {
            StatusCode::FORBIDDEN => (
                "Not sent",
                "This form was not sent by a page of this console, so nothing was done. Open the page again, and send the \
                 form from there.",
            ),
            StatusCode::PAYLOAD_TOO_LARGE => (
                "Too large",
                "What was sent is more than the console takes at once, so nothing was done. Go back, and send less.",
            ),
            StatusCode::MISDIRECTED_REQUEST => (
                "Not served under this name",
                "The console is not served under the name in your address bar. Ask the operator which name to use: \
                 SVC_ALLOWED_HOSTS lists those that are served.",
            ),
            StatusCode::TOO_MANY_REQUESTS => (
                "Too many requests",
                "More was asked from your address, or in your session, than is answered within a minute. Wait a minute, \
                 and try again.",
            ),
            _ => (
                "That did not work",
                "What was sent did not arrive whole, so nothing was done. Send it again.",
            ),
        };
        html(status, message(title, text))
    }
}
