//! Which rows a transaction may reach. The queries name the tenant themselves; this is the second wall, which
//! PostgreSQL holds.

use crate::script::Reach;
use postgres_protocol::escape::escape_literal;

/// Holds until the transaction ends or another reach is set.
pub(crate) fn walled(reach: Reach<'_>) -> String {
    let (tenant, reach) = match reach {
        Reach::Tenant(tenant) => (escape_literal(tenant.as_str()), "''"),
        Reach::Deployment => ("''".to_owned(), "'deployment'"),
    };
    format!("SET LOCAL svc.tenant = {tenant}; SET LOCAL svc.reach = {reach}")
}
