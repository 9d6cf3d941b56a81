-- Formats of secrets that a repository or a workspace adds to those of the forge.
CREATE TABLE secret_patterns (
  id TEXT PRIMARY KEY,
  workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- In the syntax of RE2.
  pattern TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 0 CHECK (enabled IN (0, 1)),
  push_protection INTEGER NOT NULL DEFAULT 0 CHECK (push_protection IN (0, 1)),
  -- JSON: the last test on the history of a repository, without the texts that it found.
  test TEXT CHECK (json_valid(test)),
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((workspace_id IS NULL) <> (repo_id IS NULL))
) STRICT;

CREATE UNIQUE INDEX secret_patterns_of_repo ON secret_patterns (repo_id, name) WHERE repo_id IS NOT NULL;

CREATE UNIQUE INDEX secret_patterns_of_workspace ON secret_patterns (workspace_id, name) WHERE workspace_id IS NOT NULL;

-- Whether every repository is scanned, and refuses secrets, whatever its own settings say.
ALTER TABLE workspaces ADD COLUMN secret_scanning_required INTEGER NOT NULL DEFAULT 0 CHECK (secret_scanning_required IN (0, 1));

ALTER TABLE workspaces ADD COLUMN push_protection_required INTEGER NOT NULL DEFAULT 0 CHECK (push_protection_required IN (0, 1));
