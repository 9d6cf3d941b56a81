-- Acceptance checks: commands of an issue, run on what a pull request would make of its base. A run is all of them on one commit.
CREATE TABLE check_runs (
  id TEXT PRIMARY KEY,
  -- Not a reference: those of a purged repository go in parts.
  repo_id TEXT NOT NULL,
  -- The pull request.
  number INTEGER NOT NULL,
  issue INTEGER,
  -- Checks of a pull request count for its merging; those of the queue count for what the queue lands.
  purpose TEXT NOT NULL CHECK (purpose IN ('pull', 'queue')),
  head_sha TEXT NOT NULL,
  -- The base that the head is merged with; null when the commit to test was given.
  base_sha TEXT,
  -- The commit that is tested; null until it is made.
  merge_sha TEXT,
  -- `waiting` until somebody allows it; `replaced` when another run took its place or nobody needs it any more.
  state TEXT NOT NULL CHECK (state IN ('waiting', 'queued', 'running', 'done', 'replaced')),
  status TEXT NOT NULL CHECK (status IN ('pending', 'passed', 'failed', 'errored')),
  -- Why it waits, or why it could not be run, for people.
  note TEXT,
  -- For each command at most so long.
  timeout_ms INTEGER NOT NULL,
  -- Who answers for the change, and who allowed its commands to run where that was needed.
  principal_id TEXT NOT NULL,
  approved_by TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX check_runs_of_pull ON check_runs (repo_id, number, purpose, id);
CREATE INDEX check_runs_approved ON check_runs (repo_id, principal_id) WHERE approved_by IS NOT NULL;

CREATE TABLE check_results (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES check_runs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  command TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'passed', 'failed', 'errored', 'skipped')),
  exit_code INTEGER,
  duration_ms INTEGER,
  started_at TEXT,
  finished_at TEXT,
  output_tail TEXT NOT NULL DEFAULT '',
  -- Of the log on disk; null when there is none (any more).
  log_bytes INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX check_results_of_run ON check_results (run_id, position);
CREATE INDEX check_results_with_log ON check_results (finished_at) WHERE log_bytes IS NOT NULL;
