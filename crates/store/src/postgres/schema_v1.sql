-- Columns that hold memory content are sealed; columns named *_ix are keyed blind indexes for equality lookups.
-- Times are microseconds since 1970, UTC. Names are compared byte by byte, as the service compares them.

-- What is true of the database as a whole: how it is sealed and signed, the signed head and anchor of the audit log,
-- and the row 'chain', which whoever appends to the log holds locked.
CREATE TABLE deployment (
    name  TEXT COLLATE "C" PRIMARY KEY,
    value BYTEA NOT NULL
);
INSERT INTO deployment (name, value) VALUES ('chain', '');

-- The next number of facts, decisions, receipts and spaces, so that an erased number is never given out again.
CREATE TABLE sequence (
    tenant TEXT COLLATE "C" NOT NULL,
    name   TEXT COLLATE "C" NOT NULL,
    next   BIGINT NOT NULL,
    PRIMARY KEY (tenant, name)
);

-- version counts the commits that touched the space; epoch counts erasures, after which nothing cached may be kept.
-- Whoever writes to a space holds its row locked.
CREATE TABLE space (
    tenant   TEXT COLLATE "C" NOT NULL,
    id       BIGINT NOT NULL,
    user_id  TEXT COLLATE "C" NOT NULL,
    agent_id TEXT COLLATE "C" NOT NULL,
    run_id   TEXT COLLATE "C" NOT NULL,
    version  BIGINT NOT NULL DEFAULT 0,
    epoch    BIGINT NOT NULL DEFAULT 0,
    policy   BYTEA,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, user_id, agent_id, run_id)
);

-- slot_ix is set only while the fact is active and its place takes one value.
CREATE TABLE fact (
    tenant     TEXT COLLATE "C" NOT NULL,
    id         BIGINT NOT NULL,
    space      BIGINT NOT NULL,
    version    BIGINT NOT NULL,
    status     BIGINT NOT NULL,
    subject_ix BYTEA NOT NULL,
    value_ix   BYTEA NOT NULL,
    text_ix    BYTEA NOT NULL,
    slot_ix    BYTEA,
    created    BIGINT NOT NULL,
    body       BYTEA NOT NULL,
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
    tenant  TEXT COLLATE "C" NOT NULL,
    space   BIGINT NOT NULL,
    text_ix BYTEA NOT NULL,
    facts   TEXT NOT NULL,
    PRIMARY KEY (tenant, space, text_ix)
);

CREATE TABLE vector (
    tenant      TEXT COLLATE "C" NOT NULL,
    fact        BIGINT NOT NULL,
    space       BIGINT NOT NULL,
    embedder_ix BYTEA NOT NULL,
    body        BYTEA NOT NULL,
    PRIMARY KEY (tenant, fact)
);
CREATE INDEX vector_space ON vector (tenant, space, embedder_ix);

-- A null summary or disclosure has been erased; the signed body commits to it all the same, and *erased_by names the
-- receipt that says so.
CREATE TABLE decision (
    tenant    TEXT COLLATE "C" NOT NULL,
    id        BIGINT NOT NULL,
    space     BIGINT NOT NULL,
    created   BIGINT NOT NULL,
    body      BYTEA NOT NULL,
    signature BYTEA,
    summary   BYTEA,
    summary_erased_by BIGINT,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX decision_space ON decision (tenant, space, id);

CREATE TABLE belief (
    tenant     TEXT COLLATE "C" NOT NULL,
    decision   BIGINT NOT NULL,
    place      BIGINT NOT NULL,
    memory     BIGINT NOT NULL,
    disclosure BYTEA,
    erased_by  BIGINT,
    PRIMARY KEY (tenant, decision, place)
);
CREATE INDEX belief_memory ON belief (tenant, memory);

CREATE TABLE receipt (
    tenant     TEXT COLLATE "C" NOT NULL,
    id         BIGINT NOT NULL,
    space      BIGINT,
    kind       TEXT NOT NULL,
    created    BIGINT NOT NULL,
    subject_ix BYTEA,
    body       BYTEA NOT NULL,
    signature  BYTEA,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX receipt_space ON receipt (tenant, space, subject_ix);

-- One chain for the whole deployment; the tenant is a filter outside the hashed content. committed is the salted hash
-- of the detail, which is null once it was blanked.
CREATE TABLE audit_entry (
    seq       BIGINT PRIMARY KEY,
    tenant    TEXT COLLATE "C" NOT NULL,
    ts        BIGINT NOT NULL,
    action    TEXT NOT NULL,
    user_id   TEXT COLLATE "C" NOT NULL,
    agent_id  TEXT COLLATE "C" NOT NULL,
    run_id    TEXT COLLATE "C" NOT NULL,
    caller    TEXT NOT NULL,
    request   TEXT NOT NULL,
    committed BYTEA NOT NULL,
    detail    BYTEA,
    blanks    BYTEA,
    prev      BYTEA NOT NULL,
    hash      BYTEA,
    signature BYTEA
);
CREATE INDEX audit_entry_user ON audit_entry (tenant, user_id, seq);
CREATE INDEX audit_entry_tenant ON audit_entry (tenant, seq);

-- key_hint is the first bytes of the key's hash: enough to find the row, after which the whole hash is compared in
-- constant time. A key names its tenant, so this lookup is the one that cannot begin with it.
CREATE TABLE principal (
    tenant   TEXT COLLATE "C" NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    key_hint BYTEA NOT NULL,
    key_hash BYTEA NOT NULL,
    revoked  BIGINT,
    created  BIGINT NOT NULL,
    body     BYTEA NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX principal_key ON principal (key_hint);

CREATE TABLE tool_counter (
    tool   TEXT COLLATE "C" PRIMARY KEY,
    calls  BIGINT NOT NULL,
    errors BIGINT NOT NULL,
    micros BIGINT NOT NULL
);

CREATE TABLE action_counter (
    action TEXT COLLATE "C" PRIMARY KEY,
    total  BIGINT NOT NULL
);

-- The second wall between tenants: whatever a query asks for, it reaches the rows of the tenant that the transaction
-- was opened for, and the owner of the tables is no exception. The audit log, the principals and the numbers
-- given out are of the whole deployment too, for a transaction that says so.
DO $$
DECLARE
    walled TEXT;
BEGIN
    FOREACH walled IN ARRAY ARRAY['space', 'fact', 'statement', 'vector', 'decision', 'belief', 'receipt']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', walled);
        EXECUTE format(
            'CREATE POLICY own_tenant ON %I USING (tenant = current_setting(''svc.tenant'', true))', walled);
    END LOOP;
    FOREACH walled IN ARRAY ARRAY['audit_entry', 'principal', 'sequence']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', walled);
        EXECUTE format(
            'CREATE POLICY own_tenant_or_deployment ON %I USING (tenant = current_setting(''svc.tenant'', true)
             OR current_setting(''svc.reach'', true) = ''deployment'')', walled);
    END LOOP;
END
$$;
