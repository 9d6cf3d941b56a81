-- Work of the built-in agent. The rows are the state: a restart goes on from them.
CREATE TABLE agent_runs (
  agent_id TEXT PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  pull_id TEXT NOT NULL UNIQUE,
  issue INTEGER NOT NULL,
  task TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'working', 'waiting', 'resting', 'stopped', 'finished')),
  -- Calls of the model, and how often failed checks or a review sent it back to work.
  turns INTEGER NOT NULL DEFAULT 0,
  revisions INTEGER NOT NULL DEFAULT 0,
  -- How often it wanted to finish although its checks failed.
  refused INTEGER NOT NULL DEFAULT 0,
  -- Why it waits.
  reason TEXT,
  state_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_runs_of_repo ON agent_runs (repo_id, state);

-- What the model is sent.
CREATE TABLE agent_turns (
  agent_id TEXT NOT NULL REFERENCES agent_runs (agent_id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('user', 'model')),
  text TEXT NOT NULL,
  PRIMARY KEY (agent_id, seq)
) STRICT, WITHOUT ROWID;

-- Tools that the model called in a turn.
CREATE TABLE agent_calls (
  agent_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  position INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  input TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('new', 'started', 'done')),
  result TEXT,
  PRIMARY KEY (agent_id, turn, position),
  FOREIGN KEY (agent_id, turn) REFERENCES agent_turns (agent_id, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Files that were changed and not yet committed. Null content is a deleted file.
CREATE TABLE agent_files (
  agent_id TEXT NOT NULL REFERENCES agent_runs (agent_id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  content BLOB,
  PRIMARY KEY (agent_id, path)
) STRICT, WITHOUT ROWID;
