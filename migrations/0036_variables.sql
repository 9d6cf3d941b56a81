-- Variables and secrets of workspaces and repositories. One name may have several rows.
CREATE TABLE setting_rows (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('variable', 'secret')),
  workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name = upper(name)),
  -- The text of a variable. A secret is encrypted under a key made of the installation key and this id.
  value TEXT NOT NULL,
  -- JSON arrays, sorted. An empty one means all; available_to is never empty.
  available_to TEXT NOT NULL CHECK (json_valid(available_to)),
  environments TEXT NOT NULL CHECK (json_valid(environments)),
  projects TEXT NOT NULL CHECK (json_valid(projects)),
  note TEXT,
  updated_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((repo_id IS NULL) <> (workspace_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX setting_rows_of_repo ON setting_rows (repo_id, kind, name, id) WHERE repo_id IS NOT NULL;

CREATE INDEX setting_rows_of_workspace ON setting_rows (workspace_id, kind, name, id) WHERE workspace_id IS NOT NULL;
