-- Listings of the audit log that pick entries by what was done, by whom, or when.
CREATE INDEX audit_entry_action ON audit_entry (tenant, action, seq);
CREATE INDEX audit_entry_caller ON audit_entry (tenant, caller, seq);
CREATE INDEX audit_entry_ts ON audit_entry (tenant, ts, seq);
