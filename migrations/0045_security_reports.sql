-- Vulnerabilities that people report in private.
CREATE TABLE vulnerability_reports (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  -- Null for a report without an account, which has an address instead.
  reporter_id TEXT REFERENCES actors (id),
  email TEXT,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  severity TEXT CHECK (severity IN ('critical', 'high', 'medium', 'low')),
  state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'accepted', 'declined')),
  created_at TEXT NOT NULL,
  reviewed_by TEXT REFERENCES actors (id),
  reviewed_at TEXT,
  review_note TEXT
) STRICT;

CREATE INDEX vulnerability_reports_of_repo ON vulnerability_reports (repo_id, state, seq);

CREATE INDEX vulnerability_reports_by_reporter ON vulnerability_reports (reporter_id, created_at) WHERE reporter_id IS NOT NULL;

-- What a repository tells of its own vulnerabilities.
CREATE TABLE advisories (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  report_id TEXT UNIQUE REFERENCES vulnerability_reports (id) ON DELETE SET NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low')),
  cve TEXT,
  -- JSON: type, name, vulnerable and patched of each package.
  packages TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(packages)),
  -- JSON: usernames.
  credits TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(credits)),
  state TEXT NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'published', 'withdrawn')),
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  published_at TEXT
) STRICT;

CREATE INDEX advisories_of_repo ON advisories (repo_id, state, seq);
