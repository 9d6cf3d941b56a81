-- Calls of models. Money is in millionths of a US dollar, so that sums are exact.
CREATE TABLE model_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  -- Null for calls that belong to no pull request.
  pull_id TEXT,
  -- Who the call was for: an agent, a person or the workspace.
  actor_id TEXT NOT NULL,
  task TEXT NOT NULL,
  integration_id TEXT NOT NULL,
  model TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  -- The provider reported no usage, so tokens were estimated from the text.
  estimated INTEGER NOT NULL CHECK (estimated IN (0, 1)),
  status INTEGER NOT NULL,
  ms INTEGER NOT NULL,
  at TEXT NOT NULL
) STRICT;

CREATE INDEX model_calls_by_time ON model_calls (at);

CREATE INDEX model_calls_of_workspace ON model_calls (workspace_id, id);

CREATE INDEX model_calls_of_actor ON model_calls (actor_id, task);

-- Sums by day, which stay when the calls are deleted.
CREATE TABLE model_days (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  task TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, day, task, model)
) STRICT, WITHOUT ROWID;
