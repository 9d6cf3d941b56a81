-- Plans of work: issues that do not exist yet, with what each waits for.
CREATE TABLE plans (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  brief TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('planning', 'ready', 'failed', 'applied')),
  summary TEXT,
  -- JSON: the issues in their order; after apply with their numbers.
  issues TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(issues)),
  -- JSON: what could not be decided.
  questions TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(questions)),
  error_code TEXT,
  error_message TEXT,
  -- Millionths of a dollar.
  cost INTEGER,
  -- 1 when a model wrote it.
  by_model INTEGER NOT NULL DEFAULT 0 CHECK (by_model IN (0, 1)),
  created_by TEXT NOT NULL REFERENCES actors (id),
  applied_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  ready_at TEXT,
  applied_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX plans_of_repo ON plans (repo_id, id);

CREATE INDEX plans_by_status ON plans (repo_id, status, id);

-- Issues of applied plans that the built-in agent begins when their last blocker closes.
CREATE TABLE plan_starts (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  -- Whose rights start it, and with which token.
  asked_by TEXT NOT NULL REFERENCES actors (id),
  token_id TEXT,
  PRIMARY KEY (repo_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX plan_starts_of_plan ON plan_starts (plan_id);
