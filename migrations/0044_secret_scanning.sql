-- One row for each secret in a repository, wherever it stands. Its text is never stored.
CREATE TABLE secret_alerts (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  -- HMAC-SHA-256 of type and text, with a key of the installation, in base64url.
  fingerprint TEXT NOT NULL,
  type TEXT NOT NULL,
  label TEXT NOT NULL,
  -- The first 4 and the last 2 characters.
  preview TEXT NOT NULL,
  validity TEXT NOT NULL CHECK (validity IN ('unknown', 'active', 'inactive')),
  state TEXT NOT NULL CHECK (state IN ('open', 'resolved')),
  resolution TEXT CHECK (resolution IN ('false_positive', 'wont_fix', 'revoked', 'used_in_tests')),
  resolved_by TEXT REFERENCES actors (id),
  resolved_at TEXT,
  note TEXT,
  bypassed_by TEXT REFERENCES actors (id),
  bypassed_at TEXT,
  bypass_reason TEXT CHECK (bypass_reason IN ('false_positive', 'used_in_tests', 'will_fix_later')),
  locations_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  UNIQUE (repo_id, fingerprint),
  CHECK ((state = 'resolved') = (resolved_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX secret_alerts_of_repo ON secret_alerts (repo_id, state, id);

-- Where a secret was found. The commit is empty for a text of an issue, pull request or session.
CREATE TABLE secret_locations (
  alert_id TEXT NOT NULL REFERENCES secret_alerts (id) ON DELETE CASCADE,
  "commit" TEXT NOT NULL,
  path TEXT NOT NULL,
  line INTEGER NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('push', 'history', 'issue', 'pull', 'comment', 'session')),
  found_at TEXT NOT NULL,
  PRIMARY KEY (alert_id, "commit", path, line)
) STRICT, WITHOUT ROWID;

CREATE INDEX secret_locations_by_time ON secret_locations (alert_id, found_at);

-- Contents that a person may push although they hold a secret, until the row expires.
CREATE TABLE secret_bypasses (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  fingerprint TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('false_positive', 'used_in_tests', 'will_fix_later')),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, user_id, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE INDEX secret_bypasses_by_end ON secret_bypasses (expires_at);

-- The last scan of the whole history of a repository.
CREATE TABLE secret_scans (
  repo_id TEXT PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'complete', 'failed')),
  requested_by TEXT REFERENCES actors (id),
  -- JSON: the commits to scan from, and those behind which everything is scanned.
  tips TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tips)),
  finished TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(finished)),
  commits INTEGER NOT NULL DEFAULT 0,
  alerts INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  finished_at TEXT
) STRICT, WITHOUT ROWID;
