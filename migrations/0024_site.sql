-- Settings that administrators changed on the site. They win over the file, because they were chosen later and while it was there to see.
CREATE TABLE site_settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL CHECK (json_valid(value)),
  changed_by TEXT REFERENCES actors (id),
  changed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How far a workspace may grow. No row, or null, is without limit.
CREATE TABLE quotas (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  repos_bytes INTEGER,
  lfs_bytes INTEGER,
  packages_bytes INTEGER,
  artifacts_bytes INTEGER,
  repositories INTEGER,
  members INTEGER,
  run_minutes INTEGER,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
