//! The console as the HTTP server sees it.

use crate::assets;
use crate::routes;
use crate::state::Console;
use edge::http::{Page, Site, Visit, Visitor};
use futures_util::future::BoxFuture;
use hyper::http::request::Parts;

impl Site for Console {
    fn visitor(&self, parts: &Parts) -> Visitor {
        if assets::is_asset(self.page(&parts.uri)) {
            return Visitor::Asset;
        }
        self.session(&parts.headers).map_or(Visitor::Stranger, |(token, _)| Visitor::SignedIn(token))
    }

    fn answer(&self, visit: Visit) -> BoxFuture<'_, Page> {
        Box::pin(routes::answer(self, visit))
    }
}
