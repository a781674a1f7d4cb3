-- The list of the rows that a call wrote or removed, which its entry holds the hash of: empty where there are none. Null
-- in entries from before this version, which have a signature each.
ALTER TABLE audit_entry ADD COLUMN changes BLOB;

-- The audit log as a tree: the hash of every complete subtree of 256, 65,536 and 16,777,216 entries, so that a proof
-- needs to read a few hundred hashes.
CREATE TABLE audit_subtree (
    level INTEGER NOT NULL,
    place INTEGER NOT NULL,
    hash  BLOB NOT NULL,
    PRIMARY KEY (level, place)
) WITHOUT ROWID;
