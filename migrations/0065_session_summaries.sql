-- Summaries of the session and conversation of a pull request, which a model writes for one person.
CREATE TABLE session_summaries (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  asked_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('summarizing', 'done', 'failed')),
  -- The last entry of the session that was read.
  last_seq INTEGER NOT NULL DEFAULT 0,
  -- A hash of the conversation that was read.
  conversation TEXT,
  -- Markdown; each citation is a link.
  summary TEXT,
  -- JSON: what the summary rests on.
  citations TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(citations)),
  -- Citations of things that do not exist or that the person may not see.
  dropped INTEGER NOT NULL DEFAULT 0,
  error_code TEXT,
  error_message TEXT,
  -- Millionths of a dollar.
  cost INTEGER,
  created_at TEXT NOT NULL,
  ended_at TEXT,
  PRIMARY KEY (pull_id, asked_by)
) STRICT, WITHOUT ROWID;

CREATE INDEX session_summaries_of_person ON session_summaries (asked_by, repo_id);
CREATE INDEX session_summaries_of_repo ON session_summaries (repo_id);
CREATE INDEX session_summaries_by_age ON session_summaries (created_at);
