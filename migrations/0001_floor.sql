-- What happened, in order: the timeline, and what webhooks deliver. Only ever added to.
CREATE TABLE events (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  time TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  repo_id TEXT,
  actor_id TEXT,
  number INTEGER,
  data TEXT NOT NULL CHECK (json_valid(data))
) STRICT, WITHOUT ROWID;
CREATE INDEX events_of_repo ON events (repo_id, id);
CREATE INDEX events_of_number ON events (repo_id, number, id) WHERE number IS NOT NULL;
CREATE INDEX events_of_workspace ON events (workspace_id, id);

-- Work that goes on after an answer. run_at is in milliseconds since 1970, because it is compared with a clock.
CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT,
  input TEXT NOT NULL CHECK (json_valid(input)),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'failed')),
  attempt INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE state = 'waiting';
CREATE UNIQUE INDEX jobs_by_key ON jobs (kind, key) WHERE state = 'waiting' AND key IS NOT NULL;

-- First answers to repeatable requests, kept for a day.
CREATE TABLE idempotency_keys (
  caller_id TEXT NOT NULL,
  key TEXT NOT NULL,
  operation TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  answer TEXT NOT NULL CHECK (json_valid(answer)),
  created_at TEXT NOT NULL,
  PRIMARY KEY (caller_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
