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
