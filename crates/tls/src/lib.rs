//! TLS: one cryptographic library for every connection that we make.

use reqwest::{ClientBuilder, redirect};
use rustls::crypto::{CryptoProvider, ring};
use std::sync::Arc;

/// What encrypts our connections.
pub fn provider() -> Arc<CryptoProvider> {
    let chosen = || CryptoProvider::get_default().cloned();
    chosen().unwrap_or_else(|| {
        // Where another thread was faster, its choice was the same.
        let _ = ring::default_provider().install_default();
        chosen().unwrap_or_else(|| Arc::new(ring::default_provider()))
    })
}

/// An HTTP client that talks to the host it was given and to no other: the target of a redirect is nobody whom an
/// operator named, and would get keys, prompts or the evidence of our log.
pub fn http_client() -> ClientBuilder {
    // The client takes the provider of the process.
    provider();
    reqwest::Client::builder().redirect(redirect::Policy::none())
}
