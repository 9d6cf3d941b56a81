-- Files that jobs of workflows leave behind: a zip archive each, for people and for later jobs.
CREATE TABLE artifacts (
  -- What jobs see as the id, which has to be a number.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  -- The key of the job in its attempt. When the job runs again, it replaces what it made.
  job_key TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  sha256 TEXT CHECK (length(sha256) = 64), -- the blob of this name holds its bytes; null when expired
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  UNIQUE (run_id, attempt, name)
) STRICT;

CREATE INDEX artifacts_by_blob ON artifacts (sha256) WHERE sha256 IS NOT NULL;

CREATE INDEX artifacts_of_repo ON artifacts (repo_id);

CREATE INDEX artifacts_by_end ON artifacts (expires_at) WHERE sha256 IS NOT NULL;

-- Files that jobs restore in later runs. Runs of a branch read those of their branch and of the default branch.
CREATE TABLE caches (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  -- The full name of the ref whose run wrote it.
  ref TEXT NOT NULL,
  key TEXT NOT NULL CHECK (key <> ''),
  -- Stands for the paths and the format, so that a restored cache fits.
  version TEXT NOT NULL,
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64), -- the blob of this name holds its bytes
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  UNIQUE (repo_id, ref, version, key)
) STRICT;

CREATE INDEX caches_by_blob ON caches (sha256);

CREATE INDEX caches_by_use ON caches (repo_id, last_used_at);

CREATE INDEX caches_by_age ON caches (last_used_at);
