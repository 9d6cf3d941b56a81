-- Who changed access, settings or secrets, and from where. Entries are only added: each holds the SHA-256 of the one before, so
-- that one taken out or changed later shows.
CREATE TABLE audit_log (
  id TEXT PRIMARY KEY,
  time TEXT NOT NULL,
  actor_id TEXT,
  on_behalf_of TEXT,
  token_id TEXT,
  ip TEXT,
  user_agent TEXT,
  action TEXT NOT NULL,
  target_kind TEXT NOT NULL,
  target_id TEXT NOT NULL,
  target_name TEXT NOT NULL,
  workspace_id TEXT,
  repo_id TEXT,
  data TEXT NOT NULL CHECK (json_valid(data)),
  request_id TEXT,
  prev TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_of_workspace ON audit_log (workspace_id, id);
CREATE INDEX audit_of_actor ON audit_log (actor_id, id);

CREATE TRIGGER audit_log_is_not_changed BEFORE UPDATE ON audit_log BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
-- Old entries go when their time of keeping is over; young ones never.
CREATE TRIGGER audit_log_keeps_young_entries BEFORE DELETE ON audit_log WHEN OLD.time > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-30 days')
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
