-- The words of a statement, kept once for all facts that were taken from them. Short words, and those of facts that were
-- stored before this version, are in the facts themselves, where statement_ix is null.
CREATE TABLE statement_text (
    tenant TEXT COLLATE "C" NOT NULL,
    ix     BYTEA NOT NULL,
    space  BIGINT NOT NULL,
    body   BYTEA NOT NULL,
    PRIMARY KEY (tenant, ix)
);
ALTER TABLE statement_text ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON statement_text USING (tenant = current_setting('svc.tenant', true));
ALTER TABLE fact ADD COLUMN statement_ix BYTEA;
CREATE INDEX fact_statement ON fact (tenant, statement_ix) WHERE statement_ix IS NOT NULL;

-- An erasure that takes more than one transaction, under the number of its receipt: what is to go, sealed; what that comes
-- to, once it is known; and how much of it is done. erasing marks every space of the user until the last of it is.
CREATE TABLE erasure (
    tenant TEXT COLLATE "C" NOT NULL,
    id     BIGINT NOT NULL,
    body   BYTEA NOT NULL,
    plan   BYTEA,
    done   BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
ALTER TABLE space ADD COLUMN erasing BIGINT;
ALTER TABLE erasure ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_deployment ON erasure USING (tenant = current_setting('svc.tenant', true)
    OR current_setting('svc.reach', true) = 'deployment');
