//! Which rows a transaction may reach. The queries name the tenant themselves; this is the second wall, which
//! PostgreSQL holds.

use postgres_protocol::escape::escape_literal;

/// Whose rows a transaction is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reach<'a> {
    Tenant(&'a str),
    /// The audit log, the principals and the numbers given out of every tenant, and nothing else.
    Deployment,
}

impl Reach<'_> {
    /// Holds until the transaction ends or another is set.
    pub fn sql(self) -> String {
        let (tenant, reach) = match self {
            Self::Tenant(tenant) => (escape_literal(tenant), "''"),
            Self::Deployment => ("''".to_owned(), "'deployment'"),
        };
        format!("SET LOCAL svc.tenant = {tenant}; SET LOCAL svc.reach = {reach}")
    }
}
