//! Single sign-on: RS256 ID tokens, checked against the key set that the identity provider publishes.

mod key_set;
mod rs256;
#[cfg(test)]
mod tests;

use domain::{OwnQuotas, Principal, PrincipalKind, PrincipalOrigin, Role, Scopes, Tenant};
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use key_set::KeySet;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
pub struct OidcConfig {
    pub issuer: String,
    pub audience: String,
    pub jwks_url: String,
    /// Which role a group of the identity provider has here.
    pub role_map: BTreeMap<String, Role>,
    pub default_role: Role,
    pub role_claim: String,
    pub scope_claim: Option<String>,
    /// The address of `/mcp` as clients reach it. Where it is set, a client without a credential is told where to get
    /// one.
    pub resource_url: Option<String>,
}

/// Why a token was turned away; for the log alone.
#[derive(Debug)]
pub(crate) struct Refused(pub String);

#[derive(Debug)]
pub(crate) struct Oidc {
    config: OidcConfig,
    keys: KeySet,
}

impl Oidc {
    pub fn new(config: OidcConfig) -> Result<Self, reqwest::Error> {
        rs256::install();
        let keys = KeySet::new(config.jwks_url.clone())?;
        Ok(Self { config, keys })
    }

    /// The person whom the token identifies.
    pub async fn principal(&self, token: &str) -> Result<Principal, Refused> {
        self.person(&self.claims(token).await?)
    }

    /// The same for a token that was given for this sign-on, and for no other.
    pub async fn newcomer(&self, token: &str, nonce: &str) -> Result<Principal, Refused> {
        let claims = self.claims(token).await?;
        if claims.get("nonce").and_then(Value::as_str) != Some(nonce) {
            return Err(Refused("given for another sign-on".to_owned()));
        }
        self.person(&claims)
    }

    async fn claims(&self, token: &str) -> Result<Map<String, Value>, Refused> {
        let header = decode_header(token).map_err(|e| Refused(format!("malformed header: {e}")))?;
        // Said before any key is looked up: a token must not choose how it is checked.
        if header.alg != Algorithm::RS256 {
            return Err(Refused(format!("signed with {:?}; only RS256 is taken", header.alg)));
        }
        let key = self.keys.key(header.kid.as_deref()).await;
        let key = key.ok_or_else(|| Refused("no such key in the provider's key set".to_owned()))?;
        let mut validation = Validation::new(Algorithm::RS256);
        validation.set_issuer(&[&self.config.issuer]);
        validation.set_audience(&[&self.config.audience]);
        validation.set_required_spec_claims(&["iss", "aud", "exp", "sub"]);
        validation.validate_nbf = true;
        validation.leeway = 0;
        let data =
            decode::<Map<String, Value>>(token, &key, &validation).map_err(|e| Refused(e.to_string()))?;
        // The library takes a list that holds the issuer too.
        if data.claims.get("iss").and_then(Value::as_str) != Some(self.config.issuer.as_str()) {
            return Err(Refused("the issuer is not one string".to_owned()));
        }
        Ok(data.claims)
    }

    fn person(&self, claims: &Map<String, Value>) -> Result<Principal, Refused> {
        let subject = claims.get("sub").and_then(Value::as_str).filter(|sub| !sub.is_empty());
        let subject = subject.ok_or_else(|| Refused("without a subject".to_owned()))?;
        let mut hash = Sha256::new();
        hash.update((self.config.issuer.len() as u64).to_be_bytes());
        hash.update(&self.config.issuer);
        hash.update(subject);
        let digest = hex::encode(hash.finalize());
        let scopes = match &self.config.scope_claim {
            None => Scopes::All,
            // A person whose token names no space reaches none.
            Some(claim) => match words(claims.get(claim)) {
                named if named.is_empty() => Scopes::Only(Vec::new()),
                named => Scopes::parse(&named.join(",")).unwrap_or_else(|| Scopes::Only(Vec::new())),
            },
        };
        Ok(Principal {
            id: PrincipalOrigin::SingleSignOn.id(digest.get(..16).unwrap_or(&digest)),
            // The prefix keeps a person from having the name of a trusted source.
            name: format!("oidc:{subject}"),
            role: self.role(claims),
            kind: PrincipalKind::Human,
            tenant: Tenant::default(),
            scopes,
            quotas: OwnQuotas::default(),
            shown: None,
        })
    }

    /// The most that one of the person's groups grants.
    fn role(&self, claims: &Map<String, Value>) -> Role {
        let groups: Vec<&str> = match claims.get(&self.config.role_claim) {
            // A group's name may hold spaces.
            Some(Value::String(group)) => vec![group],
            claim => words(claim),
        };
        let mapped = groups.iter().filter_map(|group| self.config.role_map.get(*group).copied());
        mapped.min().unwrap_or(self.config.default_role)
    }
}

/// A claim that is a list of strings, or one string of words.
fn words(claim: Option<&Value>) -> Vec<&str> {
    match claim {
        Some(Value::String(text)) => text.split([' ', ',']).filter(|word| !word.is_empty()).collect(),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}
