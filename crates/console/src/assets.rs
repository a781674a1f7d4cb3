//! What pages load besides themselves. It is part of the program, and named by its content, so a browser can keep it.

use crate::response::with_headers;
use edge::http::Page;
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

const FOLDER: &str = "assets/";
const KEEP: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

pub(crate) struct Asset {
    pub path: String,
    content_type: &'static str,
    text: &'static str,
}

impl Asset {
    fn new(name: &str, content_type: &'static str, text: &'static str) -> Self {
        let digest = hex::encode(Sha256::digest(text));
        let mark = digest.get(..12).unwrap_or(&digest);
        Self { path: format!("{FOLDER}{mark}/{name}"), content_type, text }
    }
}

pub(crate) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("console.css", "text/css; charset=utf-8", include_str!("../assets/console.css"))
});
pub(crate) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("console.js", "text/javascript; charset=utf-8", include_str!("../assets/console.js"))
});

pub(crate) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")));

pub(crate) fn is_asset(path: &str) -> bool {
    path.starts_with(FOLDER)
}

/// `None` where there is nothing of that name, or no longer.
pub(crate) fn find(path: &str) -> Option<Page> {
    let asset = [&STYLE, &SCRIPT, &ICON].into_iter().find(|asset| asset.path == path)?;
    let mut page = with_headers(StatusCode::OK, asset.text);
    page.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
    page.headers_mut().insert(CACHE_CONTROL, KEEP);
    Some(page)
}
