-- The review of a pull request by a model: one for each head, at most so many for a pull request.
CREATE TABLE agent_reviews (
  pull_id TEXT PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  -- The head that is to be reviewed, or was.
  head_sha TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'done', 'failed')),
  -- How many heads were taken up.
  taken INTEGER NOT NULL DEFAULT 1 CHECK (taken > 0),
  -- Why there is no review.
  reason TEXT,
  state_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_reviews_of_agent ON agent_reviews (agent_id);
