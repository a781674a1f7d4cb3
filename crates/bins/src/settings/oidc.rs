//! Single sign-on by OpenID Connect.

use super::env::Env;
use super::error::SettingsError;
use domain::Role;
use edge::http::OidcConfig;
use secrecy::SecretString;
use serde_json::Value;
use std::collections::BTreeMap;

/// `None` where single sign-on is not set up. A part of it without the rest is an error, as is a role map that
/// cannot be read, set up or not.
pub(super) fn read(env: &Env) -> Result<Option<OidcConfig>, SettingsError> {
    let role_map = role_map(env)?;
    let default_role = default_role(env)?;
    let parts = ["SVC_OIDC_ISSUER", "SVC_OIDC_AUDIENCE", "SVC_OIDC_JWKS_URL"];
    let resource_url = resource_url(env)?;
    if parts.iter().all(|name| env.text(name).is_none()) && resource_url.is_none() {
        return Ok(None);
    }
    let part = |name: &'static str| {
        env.text(name).ok_or_else(|| {
            SettingsError::new(name, format!("is not set; OIDC needs all of {}", parts.join(", ")))
        })
    };
    let [issuer, audience, jwks_url] = parts;
    if env.text(jwks_url).is_some_and(|url| !url.starts_with("https://") && !url.starts_with("http://")) {
        return Err(SettingsError::new(jwks_url, "takes the https:// address of the provider's key set"));
    }
    Ok(Some(OidcConfig {
        issuer: part(issuer)?,
        audience: part(audience)?,
        jwks_url: part(jwks_url)?,
        role_map,
        default_role,
        role_claim: env.text_or("SVC_OIDC_ROLE_CLAIM", "groups"),
        scope_claim: env.text("SVC_OIDC_SCOPE_CLAIM"),
        resource_url,
    }))
}

/// What the identity provider knows the console by.
#[derive(Debug, Clone)]
pub struct OidcClient {
    pub id: Option<String>,
    pub secret: Option<SecretString>,
}

impl OidcClient {
    pub(super) fn read(env: &Env) -> Self {
        Self { id: env.text("SVC_OIDC_CLIENT_ID"), secret: env.secret("SVC_OIDC_CLIENT_SECRET") }
    }
}

fn resource_url(env: &Env) -> Result<Option<String>, SettingsError> {
    const NAME: &str = "SVC_OIDC_RESOURCE_URL";
    let Some(url) = env.text(NAME) else { return Ok(None) };
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_plain = |c: char| c.is_ascii_graphic() && !"\"\\?#".contains(c);
    if rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/') && rest.chars().all(is_plain)) {
        return Ok(Some(url));
    }
    Err(SettingsError::new(
        NAME,
        format!("takes the address that clients reach, such as https://memory.example.com/mcp, not '{url}'"),
    ))
}

fn role_map(env: &Env) -> Result<BTreeMap<String, Role>, SettingsError> {
    const NAME: &str = "SVC_OIDC_ROLE_MAP";
    let Some(text) = env.text(NAME) else { return Ok(BTreeMap::new()) };
    let Ok(Value::Object(object)) = serde_json::from_str(&text) else {
        return Err(SettingsError::new(
            NAME,
            r#"takes a JSON object of group to role, such as {"staff":"member"}"#,
        ));
    };
    object
        .into_iter()
        .map(|(group, role)| match role.as_str().and_then(Role::from_word) {
            Some(role) => Ok((group, role)),
            None => {
                Err(SettingsError::new(NAME, format!("gives the group '{group}' no role of {}", roles())))
            }
        })
        .collect()
}

fn default_role(env: &Env) -> Result<Role, SettingsError> {
    const NAME: &str = "SVC_OIDC_DEFAULT_ROLE";
    match env.text(NAME) {
        None => Ok(Role::Viewer),
        Some(text) => Role::from_word(&text)
            .ok_or_else(|| SettingsError::new(NAME, format!("takes {}, not '{text}'", roles()))),
    }
}

fn roles() -> String {
    Role::ALL.map(Role::word).join(", ")
}
