-- Imports of advisories. What an import brings counts once it is complete.
CREATE TABLE osv_imports (
  seq INTEGER PRIMARY KEY,
  -- A hash of what was given, by which an import that was cut off goes on.
  source TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'complete')),
  -- How many files were read.
  position INTEGER NOT NULL DEFAULT 0,
  advisories INTEGER NOT NULL DEFAULT 0,
  started_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;

-- Advisories in the format of OSV. Of an id the newest of a complete import counts.
CREATE TABLE osv_advisories (
  seq INTEGER PRIMARY KEY,
  import_seq INTEGER NOT NULL REFERENCES osv_imports (seq) ON DELETE CASCADE,
  id TEXT NOT NULL,
  modified TEXT NOT NULL,
  withdrawn_at TEXT,
  summary TEXT NOT NULL,
  severity TEXT CHECK (severity IN ('low', 'medium', 'high', 'critical')),
  -- JSON.
  aliases TEXT NOT NULL CHECK (json_valid(aliases)),
  url TEXT,
  UNIQUE (id, import_seq)
) STRICT;

CREATE INDEX osv_advisories_of_import ON osv_advisories (import_seq);

CREATE TABLE osv_affected (
  ecosystem TEXT NOT NULL,
  name TEXT NOT NULL,
  advisory_seq INTEGER NOT NULL REFERENCES osv_advisories (seq) ON DELETE CASCADE,
  -- An advisory may name a package several times.
  place INTEGER NOT NULL,
  -- JSON: ranges and versions.
  affected TEXT NOT NULL CHECK (json_valid(affected)),
  PRIMARY KEY (ecosystem, name, advisory_seq, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX osv_affected_of_advisory ON osv_affected (advisory_seq);

-- The commit of the default branch whose dependencies were compared with advisories.
CREATE TABLE dependency_scans (
  repo_id TEXT PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE,
  commit_sha TEXT NOT NULL,
  packages INTEGER NOT NULL,
  scanned_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A package of a lock file of the default branch with an advisory.
CREATE TABLE dependency_alerts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  -- Together they identify the alert.
  ecosystem TEXT NOT NULL,
  package TEXT NOT NULL,
  advisory_id TEXT NOT NULL,
  manifest TEXT NOT NULL,
  version TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('runtime', 'development')),
  is_direct INTEGER CHECK (is_direct IN (0, 1)),
  -- As the advisory said when it was last compared.
  summary TEXT NOT NULL,
  severity TEXT CHECK (severity IN ('low', 'medium', 'high', 'critical')),
  -- 1 (critical) to 5 (unknown), for lists.
  severity_rank INTEGER NOT NULL,
  aliases TEXT NOT NULL CHECK (json_valid(aliases)),
  url TEXT,
  fixed_in TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'dismissed', 'fixed')),
  fixed_at TEXT,
  -- The commit without the package; null when the advisory was withdrawn.
  fixed_by TEXT,
  dismissed_by TEXT REFERENCES actors (id),
  dismissed_at TEXT,
  dismissed_reason TEXT CHECK (dismissed_reason IN ('false_positive', 'wont_fix', 'used_in_tests')),
  dismissed_note TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (repo_id, ecosystem, package, advisory_id, manifest)
) STRICT;

CREATE INDEX dependency_alerts_listed ON dependency_alerts (repo_id, severity_rank, seq);
