-- The public registry behind a workspace and a type, and what is cached of it.
CREATE TABLE package_upstreams (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  url TEXT NOT NULL, -- without a slash at its end
  username TEXT,
  secret TEXT, -- sealed
  reserved TEXT NOT NULL, -- a JSON list of what names that are never asked for upstream begin with
  min_age_days INTEGER NOT NULL CHECK (min_age_days >= 0),
  keep_days INTEGER NOT NULL CHECK (keep_days >= 1),
  max_bytes INTEGER NOT NULL CHECK (max_bytes >= 0),
  last_error TEXT, -- of the last request; null when it was answered
  failed_at TEXT,
  created_by TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (workspace_id, type)
) STRICT;

-- Files and documents that were read whole. Each is a blob.
CREATE TABLE upstream_files (
  upstream_id TEXT NOT NULL REFERENCES package_upstreams (id) ON DELETE CASCADE,
  key TEXT NOT NULL, -- what the registry calls it
  kind TEXT NOT NULL CHECK (kind IN ('document', 'file')), -- documents change and are revalidated
  name TEXT NOT NULL, -- of the package
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  content_type TEXT NOT NULL,
  etag TEXT,
  last_modified TEXT,
  checked_at TEXT NOT NULL, -- when the upstream last said that this is current
  changed_at TEXT NOT NULL,
  used_at TEXT NOT NULL, -- rounded, so that reading writes seldom
  PRIMARY KEY (upstream_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX upstream_files_by_blob ON upstream_files (sha256);
CREATE INDEX upstream_files_by_use ON upstream_files (upstream_id, used_at);
CREATE INDEX upstream_files_by_name ON upstream_files (upstream_id, name);
