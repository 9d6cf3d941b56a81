-- Questions about a repository that a model answers.
CREATE TABLE repo_questions (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  asked_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  question TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('answering', 'answered', 'failed')),
  -- Markdown; each citation is a link.
  answer TEXT,
  -- JSON: what the answer rests on.
  citations TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(citations)),
  -- Citations of things that do not exist or that the person may not see.
  dropped INTEGER NOT NULL DEFAULT 0,
  -- JSON: what was searched and read.
  steps TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(steps)),
  error_code TEXT,
  error_message TEXT,
  -- Millionths of a dollar.
  cost INTEGER,
  created_at TEXT NOT NULL,
  answered_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX repo_questions_of_person ON repo_questions (asked_by, repo_id, id);
CREATE INDEX repo_questions_of_repo ON repo_questions (repo_id);
CREATE INDEX repo_questions_by_age ON repo_questions (created_at);
