-- What the entity graph has still to look at: this fact of this tenant, as it is by then. A row is written in the
-- transaction that changes the fact, and only while the graph is on. An erasure names its receipt; when the last of its
-- rows is gone, a second receipt says that the graph has forgotten it too.
CREATE TABLE graph_outbox (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant  TEXT NOT NULL,
    fact    INTEGER NOT NULL,
    receipt INTEGER,
    created INTEGER NOT NULL
);
CREATE INDEX graph_outbox_receipt ON graph_outbox (tenant, receipt) WHERE receipt IS NOT NULL;

-- One row while the graph is on, and none while it is off: which process brings the graph up to date, and until when;
-- and how far a rebuild has come, null where none is under way.
CREATE TABLE graph_projection (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    holder  TEXT,
    fence   INTEGER NOT NULL,
    until   INTEGER,
    rebuild TEXT
);
