-- Columns that hold memory content are sealed; columns named *_ix are keyed blind indexes for equality lookups.
-- Times are microseconds since 1970, UTC.

CREATE TABLE schema_migration (
    version INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    applied TEXT NOT NULL
);

-- What is true of the database as a whole: how it is sealed and signed, the signed head and anchor of the audit log.
CREATE TABLE deployment (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;

-- The next number of facts, decisions, receipts and spaces, so that an erased number is never given out again.
CREATE TABLE sequence (
    tenant TEXT NOT NULL,
    name   TEXT NOT NULL,
    next   INTEGER NOT NULL,
    PRIMARY KEY (tenant, name)
) WITHOUT ROWID;

-- version counts the commits that touched the space; epoch counts erasures, after which nothing cached may be kept.
CREATE TABLE space (
    tenant   TEXT NOT NULL,
    id       INTEGER NOT NULL,
    user_id  TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    run_id   TEXT NOT NULL,
    version  INTEGER NOT NULL DEFAULT 0,
    epoch    INTEGER NOT NULL DEFAULT 0,
    policy   BLOB,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, user_id, agent_id, run_id)
);

-- slot_ix is set only while the fact is active and its place takes one value.
CREATE TABLE fact (
    tenant     TEXT NOT NULL,
    id         INTEGER NOT NULL,
    space      INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    status     INTEGER NOT NULL,
    subject_ix BLOB NOT NULL,
    value_ix   BLOB NOT NULL,
    text_ix    BLOB NOT NULL,
    slot_ix    BLOB,
    created    INTEGER NOT NULL,
    body       BLOB NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX fact_slot ON fact (tenant, space, slot_ix) WHERE slot_ix IS NOT NULL;
CREATE INDEX fact_subject ON fact (tenant, space, subject_ix, status, id);
CREATE INDEX fact_value ON fact (tenant, space, subject_ix, value_ix);
CREATE INDEX fact_text ON fact (tenant, space, text_ix);
CREATE INDEX fact_version ON fact (tenant, space, version);
CREATE INDEX fact_retired ON fact (tenant, space, version, id) WHERE status IN (1, 2);
CREATE INDEX fact_status ON fact (tenant, space, status, id);

-- What a statement came to, so that the same words need no model while every fact of them still stands: the ids of its
-- facts, also of those that other words had stored before.
CREATE TABLE statement (
    tenant  TEXT NOT NULL,
    space   INTEGER NOT NULL,
    text_ix BLOB NOT NULL,
    facts   TEXT NOT NULL,
    PRIMARY KEY (tenant, space, text_ix)
) WITHOUT ROWID;

CREATE TABLE vector (
    tenant      TEXT NOT NULL,
    fact        INTEGER NOT NULL,
    space       INTEGER NOT NULL,
    embedder_ix BLOB NOT NULL,
    body        BLOB NOT NULL,
    PRIMARY KEY (tenant, fact)
);
CREATE INDEX vector_space ON vector (tenant, space, embedder_ix);

-- A null summary or disclosure has been erased; the signed body commits to it all the same, and *erased_by names the
-- receipt that says so.
CREATE TABLE decision (
    tenant    TEXT NOT NULL,
    id        INTEGER NOT NULL,
    space     INTEGER NOT NULL,
    created   INTEGER NOT NULL,
    body      BLOB NOT NULL,
    signature BLOB,
    summary   BLOB,
    summary_erased_by INTEGER,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX decision_space ON decision (tenant, space, id);

CREATE TABLE belief (
    tenant     TEXT NOT NULL,
    decision   INTEGER NOT NULL,
    place      INTEGER NOT NULL,
    memory     INTEGER NOT NULL,
    disclosure BLOB,
    erased_by  INTEGER,
    PRIMARY KEY (tenant, decision, place)
) WITHOUT ROWID;
CREATE INDEX belief_memory ON belief (tenant, memory);

CREATE TABLE receipt (
    tenant     TEXT NOT NULL,
    id         INTEGER NOT NULL,
    space      INTEGER,
    kind       TEXT NOT NULL,
    created    INTEGER NOT NULL,
    subject_ix BLOB,
    body       BLOB NOT NULL,
    signature  BLOB,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX receipt_space ON receipt (tenant, space, subject_ix);

-- One chain for the whole deployment; the tenant is a filter outside the hashed content. committed is the salted hash
-- of the detail, which is null once it was blanked.
CREATE TABLE audit_entry (
    seq       INTEGER PRIMARY KEY,
    tenant    TEXT NOT NULL,
    ts        INTEGER NOT NULL,
    action    TEXT NOT NULL,
    user_id   TEXT NOT NULL,
    agent_id  TEXT NOT NULL,
    run_id    TEXT NOT NULL,
    caller    TEXT NOT NULL,
    request   TEXT NOT NULL,
    committed BLOB NOT NULL,
    detail    BLOB,
    blanks    BLOB,
    prev      BLOB NOT NULL,
    hash      BLOB,
    signature BLOB
);
CREATE INDEX audit_entry_user ON audit_entry (tenant, user_id, seq);
CREATE INDEX audit_entry_tenant ON audit_entry (tenant, seq);

-- key_hint is the first bytes of the key's hash: enough to find the row, after which the whole hash is compared in
-- constant time. A key names its tenant, so this lookup is the one that cannot begin with it.
CREATE TABLE principal (
    tenant   TEXT NOT NULL,
    id       TEXT NOT NULL,
    key_hint BLOB NOT NULL,
    key_hash BLOB NOT NULL,
    revoked  INTEGER,
    created  INTEGER NOT NULL,
    body     BLOB NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX principal_key ON principal (key_hint);

CREATE TABLE tool_counter (
    tool   TEXT PRIMARY KEY,
    calls  INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    micros INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE action_counter (
    action TEXT PRIMARY KEY,
    total  INTEGER NOT NULL
) WITHOUT ROWID;
