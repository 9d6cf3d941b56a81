-- Workflow files that a repository has or had, by path.
CREATE TABLE workflows (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  switched TEXT NOT NULL DEFAULT 'active' CHECK (switched IN ('active', 'disabled', 'disabled_by_inactivity')),
  -- The file on the default branch; null while it is on other branches only.
  blob TEXT,
  errors TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(errors)),
  events TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(events)),
  -- The number of the last run.
  runs_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (repo_id, path)
) STRICT, WITHOUT ROWID;

-- What files say, as JSON that zstd compressed, so that an unchanged file is parsed once.
CREATE TABLE workflow_models (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  blob TEXT NOT NULL,
  path TEXT NOT NULL,
  -- Models of another format are read from git again.
  format INTEGER NOT NULL,
  -- Null for a file with errors.
  model BLOB,
  problems TEXT NOT NULL CHECK (json_valid(problems)),
  used_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, blob, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_models_by_use ON workflow_models (used_at);

CREATE TABLE workflow_runs (
  -- What jobs see as their run id, which has to be a number.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  number INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 1,
  event TEXT NOT NULL,
  -- The name that the dialect has for it: dispatch is workflow_dispatch.
  event_name TEXT NOT NULL,
  -- The full name of the ref.
  ref TEXT NOT NULL,
  -- The code that jobs get, the commit that people see the result at, and the one of the workflow file.
  sha TEXT NOT NULL,
  head_sha TEXT NOT NULL,
  workflow_sha TEXT NOT NULL,
  workflow_blob TEXT NOT NULL,
  pull INTEGER,
  status TEXT NOT NULL CHECK (status IN ('queued', 'waiting', 'in_progress', 'completed')),
  conclusion TEXT CHECK ((conclusion IS NOT NULL) = (status = 'completed')),
  waiting_for TEXT CHECK (waiting_for IN ('approval', 'concurrency', 'environment', 'runner')),
  error TEXT,
  actor_id TEXT REFERENCES actors (id),
  -- Who started this attempt.
  rerun_by TEXT REFERENCES actors (id),
  approved_by TEXT REFERENCES actors (id),
  trusted INTEGER NOT NULL CHECK (trusted IN (0, 1)),
  -- False when an agent changed the workflow file: its result does not count for rules.
  counts INTEGER NOT NULL DEFAULT 1 CHECK (counts IN (0, 1)),
  -- The event in the dialect's shape, as JSON that zstd compressed.
  payload BLOB NOT NULL,
  inputs TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(inputs)),
  concurrency_group TEXT,
  -- Models of called workflows by the key of the caller: blob and path.
  callees TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(callees)),
  -- The event that made it, and how many runs of event workflow_run led here.
  event_id TEXT,
  depth INTEGER NOT NULL DEFAULT 0,
  cancelled_by TEXT REFERENCES actors (id),
  cancelled_at TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  UNIQUE (workflow_id, number)
) STRICT;

-- An event makes one run of a workflow, however often its planning is repeated.
CREATE UNIQUE INDEX workflow_runs_of_event ON workflow_runs (event_id, workflow_id, event_name) WHERE event_id IS NOT NULL;

CREATE INDEX workflow_runs_of_repo ON workflow_runs (repo_id, id);

CREATE INDEX workflow_runs_of_workflow ON workflow_runs (workflow_id, id);

CREATE INDEX workflow_runs_of_commit ON workflow_runs (repo_id, head_sha, id);

CREATE INDEX workflow_runs_open ON workflow_runs (repo_id, concurrency_group) WHERE status <> 'completed';

CREATE INDEX workflow_runs_by_age ON workflow_runs (created_at);

-- Earlier attempts of runs.
CREATE TABLE workflow_attempts (
  run_id TEXT NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  conclusion TEXT NOT NULL,
  error TEXT,
  rerun_by TEXT REFERENCES actors (id),
  started_at TEXT,
  finished_at TEXT,
  PRIMARY KEY (run_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_jobs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  -- Unique in the attempt: "build (1.22, linux)". The same of the job that called its workflow.
  key TEXT NOT NULL,
  parent TEXT,
  -- Its place in the file: 0001.0003 is the third of a matrix, or of a called workflow.
  position TEXT NOT NULL,
  -- The id of the job in its file.
  job_id TEXT NOT NULL,
  name TEXT NOT NULL,
  needs TEXT NOT NULL CHECK (json_valid(needs)),
  -- What was resolved when it was expanded; null before.
  plan TEXT CHECK (json_valid(plan)),
  -- What decisions see: pending, started, running, completed.
  stage TEXT NOT NULL CHECK (stage IN ('pending', 'started', 'running', 'completed')),
  status TEXT NOT NULL CHECK (status IN ('queued', 'waiting', 'in_progress', 'completed')),
  conclusion TEXT CHECK ((conclusion IS NOT NULL) = (status = 'completed')),
  waiting_for TEXT CHECK (waiting_for IN ('approval', 'concurrency', 'environment', 'runner')),
  reason TEXT,
  labels TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(labels)),
  concurrency_group TEXT,
  -- Sealed where a value holds a secret.
  outputs TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(outputs)),
  ended_as INTEGER,
  runner_id TEXT,
  runner_name TEXT,
  lease_until INTEGER,
  cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  -- How often a stop of the forge cut it off.
  interruptions INTEGER NOT NULL DEFAULT 0,
  -- The job of an earlier attempt whose result and log this one has.
  same_as TEXT,
  log_bytes INTEGER NOT NULL DEFAULT 0,
  log_lines INTEGER NOT NULL DEFAULT 0,
  log_state TEXT NOT NULL DEFAULT 'none' CHECK (log_state IN ('none', 'live', 'packed', 'expired')),
  summary TEXT,
  queued_at TEXT,
  started_at TEXT,
  finished_at TEXT
) STRICT;

CREATE INDEX workflow_jobs_of_run ON workflow_jobs (run_id, attempt, position);

CREATE INDEX workflow_jobs_queued ON workflow_jobs (workspace_id, seq) WHERE status = 'queued' AND stage = 'started';

CREATE INDEX workflow_jobs_leased ON workflow_jobs (lease_until) WHERE lease_until IS NOT NULL;

CREATE INDEX workflow_jobs_open ON workflow_jobs (repo_id, concurrency_group) WHERE status <> 'completed';

CREATE TABLE workflow_steps (
  job_id TEXT NOT NULL REFERENCES workflow_jobs (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'in_progress', 'completed')),
  conclusion TEXT,
  started_at TEXT,
  finished_at TEXT,
  -- Lines of the log.
  log_from INTEGER,
  log_to INTEGER,
  PRIMARY KEY (job_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_annotations (
  job_id TEXT NOT NULL REFERENCES workflow_jobs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  step INTEGER,
  level TEXT NOT NULL CHECK (level IN ('notice', 'warning', 'failure')),
  file TEXT,
  line INTEGER,
  end_line INTEGER,
  column INTEGER,
  title TEXT,
  message TEXT NOT NULL,
  PRIMARY KEY (job_id, position)
) STRICT, WITHOUT ROWID;
