//! What every answer of the console says to the browser.

use edge::http::Page;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use hyper::{Response, StatusCode};
use maud::Markup;

/// Nothing from elsewhere, no script or style within a page, and no page of others around ours. A form that is sent must
/// name where it comes from, so the referrer policy is not `no-referrer`: with that, browsers send `Origin: null`.
const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'",
    ),
    ("x-frame-options", "DENY"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
];

pub(crate) fn with_headers(status: StatusCode, body: impl Into<Bytes>) -> Page {
    let mut page = Response::new(Full::new(body.into()));
    *page.status_mut() = status;
    for (name, value) in HEADERS {
        page.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    // What a page shows is not for the next person at the same browser.
    page.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    page
}

pub(crate) fn html(status: StatusCode, markup: Markup) -> Page {
    let mut page = with_headers(status, markup.into_string());
    page.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    page
}

/// The browser goes on with another page.
pub(crate) fn see(path: &str) -> Page {
    let mut page = with_headers(StatusCode::SEE_OTHER, "");
    if let Ok(path) = HeaderValue::from_str(path) {
        page.headers_mut().insert(LOCATION, path);
    }
    page
}
