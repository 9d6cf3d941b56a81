-- What one agent asks another: a question stands in the session of the pull request that is asked, and is answered there.
CREATE TABLE agent_questions (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE, -- the one that is asked
  number INTEGER NOT NULL,
  seq INTEGER NOT NULL CHECK (seq > 0), -- its entry in that session
  from_id TEXT NOT NULL REFERENCES actors (id),
  from_pull INTEGER,
  text TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'answered', 'expired')),
  answer TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  answered_at TEXT,
  UNIQUE (pull_id, seq),
  CHECK ((state = 'answered') = (answered_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_questions_waiting ON agent_questions (expires_at) WHERE state = 'waiting';
