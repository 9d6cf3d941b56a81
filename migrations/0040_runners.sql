-- Runners of other machines, and the jobs that they were given.
CREATE TABLE runners (
  id TEXT PRIMARY KEY,
  -- Both null: the runner serves the whole site.
  workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- JSON arrays, in lower case. Allowed ones limit what the runner declares; none means no limit.
  allowed_labels TEXT NOT NULL CHECK (json_valid(allowed_labels)),
  labels TEXT NOT NULL CHECK (json_valid(labels)),
  ephemeral INTEGER NOT NULL CHECK (ephemeral IN (0, 1)),
  accepts_untrusted INTEGER NOT NULL CHECK (accepts_untrusted IN (0, 1)),
  -- Until it registers: the SHA-256 of its registration token.
  registration_hash TEXT UNIQUE,
  registration_expires_at TEXT,
  -- From then on: its name in the protocol, and the SHA-256 of its token.
  uuid TEXT UNIQUE,
  token_hash TEXT,
  version TEXT NOT NULL,
  last_seen_at TEXT,
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  CHECK (repo_id IS NULL OR workspace_id IS NULL),
  CHECK ((uuid IS NULL) = (token_hash IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX runners_of_repo ON runners (repo_id, id) WHERE repo_id IS NOT NULL;

CREATE INDEX runners_of_workspace ON runners (workspace_id, id) WHERE workspace_id IS NOT NULL;

-- A job that was given to a runner. A job that is given again is another task.
CREATE TABLE runner_tasks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id TEXT NOT NULL REFERENCES workflow_jobs (id) ON DELETE CASCADE,
  runner_id TEXT NOT NULL,
  -- Rows of the log that are stored, and whether the runner said that there are no more.
  rows INTEGER NOT NULL,
  complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
  -- JSON: where the number of a row and that of its first line part: [row, line] pairs.
  places TEXT NOT NULL CHECK (json_valid(places)),
  outputs TEXT NOT NULL CHECK (json_valid(outputs)),
  annotations TEXT NOT NULL CHECK (json_valid(annotations)),
  -- A result that came before the end of the log.
  result TEXT,
  -- Whether its log is packed and nothing more is taken.
  closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
  reported_at TEXT NOT NULL
) STRICT;

CREATE INDEX runner_tasks_of_job ON runner_tasks (job_id, id);

CREATE INDEX runner_tasks_open ON runner_tasks (runner_id, id) WHERE closed = 0;
