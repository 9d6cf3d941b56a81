-- Software agents that people start in one repository, each with a token of its own.

-- The pull request that an agent's token was made for; a number in its one repository.
ALTER TABLE tokens ADD COLUMN pull_number INTEGER CHECK (pull_number IS NULL OR kind = 'agent');

-- What is known of an agent outlives its token, so the end of the secret and the last use are kept here too.
CREATE TABLE agents (
  id TEXT PRIMARY KEY REFERENCES actors (id),
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  owner_id TEXT NOT NULL REFERENCES actors (id),
  pull_number INTEGER,
  role TEXT NOT NULL CHECK (role IN ('read', 'triage', 'write')),
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  model TEXT,
  -- In dollars: the most that it may report, and what it has reported in sessions.
  max_usd REAL CHECK (max_usd > 0),
  cost_usd REAL NOT NULL DEFAULT 0 CHECK (cost_usd >= 0),
  token_id TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  started_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  last_seen_at TEXT,
  -- Set once, when the token is taken away before its time. One that was let go because its work is done is finished, not stopped.
  ended_at TEXT,
  ended_as TEXT CHECK (ended_as IN ('stopped', 'finished')),
  ended_by TEXT REFERENCES actors (id),
  ended_reason TEXT,
  CHECK ((ended_at IS NULL) = (ended_as IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX agents_of_repo ON agents (repo_id, id);
CREATE INDEX agents_at_work ON agents (repo_id, pull_number) WHERE ended_at IS NULL;
