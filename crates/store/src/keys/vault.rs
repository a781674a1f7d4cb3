//! Keys wrapped by a Transit secrets engine. Vault makes a key and hands it over twice, plain for the memory of this
//! process and wrapped for the file; later it unwraps what the file holds.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::HeaderValue;
use reqwest::{Client, Response, StatusCode, Url};
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::secret::Secret;
use super::{KeyError, VaultError, VaultSettings};

/// Vault answers in milliseconds. Who waits longer at startup wants to hear why.
const TIMEOUT: Duration = Duration::from_secs(5);
/// An answer holds one short key; a longer one is not Vault's.
const ANSWER_BYTES: usize = 64 * 1024;
/// The one thing that tells a missing transit key from other bad requests.
const NO_KEY: &[u8] = b"encryption key not found";

pub(super) struct Transit {
    http: Client,
    address: Url,
    token: HeaderValue,
    mount: String,
    key: String,
}

#[derive(Deserialize)]
struct Answer {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    #[serde(default)]
    plaintext: String,
    ciphertext: Option<String>,
}

impl Transit {
    pub fn new(settings: &VaultSettings) -> Result<Self, KeyError> {
        let address = Url::parse(settings.address.trim())
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or(KeyError::VaultSettings(VaultError::Address))?;
        let mut token = HeaderValue::from_str(settings.token.expose_secret())
            .map_err(|_| KeyError::VaultSettings(VaultError::Token))?;
        token.set_sensitive(true);
        // A proxy is not who the token and the keys were meant for.
        let http = tls::http_client()
            .timeout(TIMEOUT)
            .no_proxy()
            .build()
            .map_err(|e| KeyError::VaultSettings(VaultError::Client(e.to_string())))?;
        let mount = settings.mount.trim_matches('/').to_owned();
        Ok(Self { http, address, token, mount, key: settings.key.clone() })
    }

    /// A new secret, plain and wrapped. The `datakey` operation, because `encrypt` would silently make a transit key
    /// that does not exist, and a mistyped name would then hold the only way to the data.
    pub async fn generate(&self) -> Result<(Secret, String), VaultError> {
        let operation = "datakey/plaintext";
        let data = self.call(operation, &json!({ "bits": 256 })).await?;
        let wrapped = data.ciphertext.ok_or_else(|| self.not_vaults(operation))?;
        Ok((self.secret(operation, data.plaintext)?, wrapped))
    }

    /// A secret that is there already. One is made first and left unused, because `encrypt` does not say that the transit
    /// key is missing.
    pub async fn wrap(&self, secret: &Secret) -> Result<String, VaultError> {
        self.generate().await?;
        let operation = "encrypt";
        let plaintext = Zeroizing::new(BASE64_STANDARD.encode(secret.as_slice()));
        let data = self.call(operation, &json!({ "plaintext": plaintext.as_str() })).await?;
        let wrapped = data.ciphertext.ok_or_else(|| self.not_vaults(operation))?;
        if self.unwrap(&wrapped).await?.as_slice() != secret.as_slice() {
            return Err(self.not_vaults(operation));
        }
        Ok(wrapped)
    }

    pub async fn unwrap(&self, wrapped: &str) -> Result<Secret, VaultError> {
        let operation = "decrypt";
        let data = self.call(operation, &json!({ "ciphertext": wrapped })).await?;
        self.secret(operation, data.plaintext)
    }

    async fn call(&self, operation: &str, body: &Value) -> Result<Data, VaultError> {
        let mut url = self.address.clone();
        url.path_segments_mut()
            .map_err(|()| VaultError::Address)?
            .pop_if_empty()
            .push("v1")
            .extend(self.path(operation).split('/'));
        let response = self
            .http
            .post(url)
            .header("X-Vault-Token", self.token.clone())
            .json(body)
            .send()
            .await
            .map_err(|e| self.unreachable(&e))?;
        let status = response.status();
        let text = self.read(operation, response).await?;
        if !status.is_success() {
            return Err(self.refusal(operation, status, &text));
        }
        let answer: Answer = serde_json::from_slice(&text).map_err(|_| self.not_vaults(operation))?;
        Ok(answer.data)
    }

    async fn read(&self, operation: &str, mut response: Response) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        let mut text = Zeroizing::new(Vec::with_capacity(ANSWER_BYTES));
        while let Some(chunk) = response.chunk().await.map_err(|e| self.unreachable(&e))? {
            if text.len() + chunk.len() > ANSWER_BYTES {
                return Err(self.not_vaults(operation));
            }
            text.extend_from_slice(&chunk);
        }
        Ok(text)
    }

    /// Says what to do. The answer's own words are left out: whoever sent them may have echoed the token.
    fn refusal(&self, operation: &str, status: StatusCode, text: &[u8]) -> VaultError {
        let no_key = || text.windows(NO_KEY.len()).any(|w| w == NO_KEY);
        let path = self.path(operation);
        match status.as_u16() {
            300..=399 => VaultError::Redirect { status: status.as_u16() },
            400 if no_key() => VaultError::NoKey { mount: self.mount.clone(), key: self.key.clone() },
            400 if operation == "decrypt" => VaultError::WrappedRefused { key: self.key.clone() },
            403 => VaultError::Denied { path },
            404 => VaultError::NoMount { mount: self.mount.clone() },
            503 => VaultError::Sealed,
            status => VaultError::Status { path, status },
        }
    }

    fn secret(&self, operation: &str, plaintext: String) -> Result<Secret, VaultError> {
        let plaintext = Zeroizing::new(plaintext);
        let bytes = BASE64_STANDARD.decode(plaintext.as_bytes()).map(Zeroizing::new);
        let secret = bytes.ok().and_then(|bytes| <[u8; 32]>::try_from(bytes.as_slice()).ok());
        secret.map(Secret::new).ok_or_else(|| self.not_vaults(operation))
    }

    fn path(&self, operation: &str) -> String {
        format!("{}/{operation}/{}", self.mount, self.key)
    }

    fn not_vaults(&self, operation: &str) -> VaultError {
        VaultError::Answer { path: self.path(operation) }
    }

    fn unreachable(&self, error: &reqwest::Error) -> VaultError {
        // The innermost cause is the one that a person can act on, such as a refused connection.
        let mut cause: &dyn std::error::Error = error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        let reason = if error.is_timeout() {
            format!("no answer within {} seconds", TIMEOUT.as_secs())
        } else {
            cause.to_string()
        };
        // The origin alone: an address may hold a user's password.
        VaultError::Unreachable { address: self.address.origin().ascii_serialization(), reason }
    }
}
