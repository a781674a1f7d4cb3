-- A key may end by itself, and after a rotation the key before it may work on for a while.
ALTER TABLE principal ADD COLUMN expires INTEGER;
ALTER TABLE principal ADD COLUMN former_hint BLOB;
ALTER TABLE principal ADD COLUMN former_hash BLOB;
ALTER TABLE principal ADD COLUMN former_until INTEGER;
CREATE INDEX principal_former_key ON principal (former_hint) WHERE former_hint IS NOT NULL;

-- Listings of the audit log that pick entries by what was done, by whom, or when.
CREATE INDEX audit_entry_action ON audit_entry (tenant, action, seq);
CREATE INDEX audit_entry_caller ON audit_entry (tenant, caller, seq);
CREATE INDEX audit_entry_ts ON audit_entry (tenant, ts, seq);
