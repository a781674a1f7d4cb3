-- The words of a statement, kept once for all facts that were taken from them. Short words, and those of facts that were
-- stored before this version, are in the facts themselves, where statement_ix is null.
CREATE TABLE statement_text (
    tenant TEXT NOT NULL,
    ix     BLOB NOT NULL,
    space  INTEGER NOT NULL,
    body   BLOB NOT NULL,
    PRIMARY KEY (tenant, ix)
);
ALTER TABLE fact ADD COLUMN statement_ix BLOB;
CREATE INDEX fact_statement ON fact (tenant, statement_ix) WHERE statement_ix IS NOT NULL;

-- An erasure that takes more than one transaction, under the number of its receipt: what is to go, sealed; what that comes
-- to, once it is known; and how much of it is done. erasing marks every space of the user until the last of it is.
CREATE TABLE erasure (
    tenant TEXT NOT NULL,
    id     INTEGER NOT NULL,
    body   BLOB NOT NULL,
    plan   BLOB,
    done   INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
);
ALTER TABLE space ADD COLUMN erasing INTEGER;
