-- Teams whose people work on the security findings of every repository of the workspace.
CREATE TABLE security_managers (
  team_id TEXT PRIMARY KEY REFERENCES teams (id) ON DELETE CASCADE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  added_by TEXT REFERENCES actors (id),
  added_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX security_managers_of_workspace ON security_managers (workspace_id);
