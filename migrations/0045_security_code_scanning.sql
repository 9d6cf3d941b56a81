-- Uploads of scanners. Their files are blobs, which expire.
CREATE TABLE sarif_uploads (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'complete', 'failed')),
  commit_sha TEXT NOT NULL,
  git_ref TEXT NOT NULL,
  pull INTEGER,
  category TEXT,
  tool_name TEXT,
  -- Null once the file has expired.
  sha256 TEXT,
  -- JSON: what could not be read.
  errors TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(errors)),
  created_by TEXT REFERENCES actors (id),
  -- Whether a person or a job of a workflow uploaded it. Agents do not vouch for their own work.
  is_vouched INTEGER NOT NULL CHECK (is_vouched IN (0, 1)),
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX sarif_uploads_of_repo ON sarif_uploads (repo_id, seq);

CREATE INDEX sarif_uploads_by_file ON sarif_uploads (sha256) WHERE sha256 IS NOT NULL;

CREATE INDEX sarif_uploads_by_age ON sarif_uploads (created_at) WHERE sha256 IS NOT NULL;

-- The results of one run of a tool on one commit.
CREATE TABLE analyses (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  upload_id TEXT NOT NULL REFERENCES sarif_uploads (id) ON DELETE CASCADE,
  run_index INTEGER NOT NULL,
  tool TEXT NOT NULL,
  tool_version TEXT,
  category TEXT NOT NULL,
  commit_sha TEXT NOT NULL,
  -- The head of the pull request whose merge was analysed; otherwise the commit itself.
  head_sha TEXT NOT NULL,
  git_ref TEXT NOT NULL,
  pull INTEGER,
  results INTEGER NOT NULL,
  new_alerts INTEGER NOT NULL DEFAULT 0,
  fixed_alerts INTEGER NOT NULL DEFAULT 0,
  dropped INTEGER NOT NULL,
  -- 1 once all its results are stored.
  is_complete INTEGER NOT NULL DEFAULT 0 CHECK (is_complete IN (0, 1)),
  created_at TEXT NOT NULL,
  UNIQUE (upload_id, run_index)
) STRICT;

CREATE INDEX analyses_of_repo ON analyses (repo_id, seq);

CREATE INDEX analyses_of_ref ON analyses (repo_id, git_ref, tool, category, seq);

CREATE INDEX analyses_of_head ON analyses (repo_id, head_sha) WHERE pull IS NOT NULL;

CREATE TABLE code_rules (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  tool TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  name TEXT,
  description TEXT,
  help TEXT,
  tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  PRIMARY KEY (repo_id, tool, rule_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE code_alerts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  tool TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  -- Together with repository, tool and rule they identify the alert. Equal ones pair in order of line.
  path TEXT NOT NULL,
  line_hash TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low', 'warning', 'note')),
  -- 1 (critical) to 6 (note), for lists.
  severity_rank INTEGER NOT NULL,
  message TEXT NOT NULL,
  -- By the default branch; by all refs while it was never there. Dismissed wins.
  state TEXT NOT NULL CHECK (state IN ('open', 'dismissed', 'fixed')),
  -- 1 once the default branch had it.
  is_landed INTEGER NOT NULL DEFAULT 0 CHECK (is_landed IN (0, 1)),
  first_seen_at TEXT NOT NULL,
  fixed_at TEXT,
  dismissed_by TEXT REFERENCES actors (id),
  dismissed_at TEXT,
  dismissed_reason TEXT CHECK (dismissed_reason IN ('false_positive', 'wont_fix', 'used_in_tests')),
  dismissed_note TEXT,
  UNIQUE (repo_id, number)
) STRICT;

CREATE INDEX code_alerts_listed ON code_alerts (repo_id, is_landed, severity_rank, seq);

CREATE INDEX code_alerts_of_tool ON code_alerts (repo_id, tool, seq);

-- Where an alert is, for each ref and category that was analysed.
CREATE TABLE code_instances (
  alert_id TEXT NOT NULL REFERENCES code_alerts (id) ON DELETE CASCADE,
  ref TEXT NOT NULL,
  category TEXT NOT NULL,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  tool TEXT NOT NULL,
  analysis_seq INTEGER NOT NULL,
  tool_version TEXT,
  path TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  commit_sha TEXT NOT NULL,
  -- The id of the file, by which a change knows that its lines are the same.
  blob TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'fixed')),
  -- 1 where the pull request of the ref adds the line.
  is_new INTEGER NOT NULL DEFAULT 0 CHECK (is_new IN (0, 1)),
  PRIMARY KEY (alert_id, ref, category)
) STRICT, WITHOUT ROWID;

CREATE INDEX code_instances_of_ref ON code_instances (repo_id, ref, tool, category, state, analysis_seq);

CREATE INDEX sarif_uploads_pending ON sarif_uploads (repo_id) WHERE state = 'pending';
