-- What a model proposes for new issues, for people with Triage to accept or dismiss.
CREATE TABLE issue_triages (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'done', 'failed')),
  -- How often the issue was read.
  taken INTEGER NOT NULL DEFAULT 1 CHECK (taken > 0),
  -- Whether its author had no Write when it was taken up.
  outside INTEGER NOT NULL CHECK (outside IN (0, 1)),
  -- Who appears to have added labels by themselves; acts for the author of the issue.
  actor_id TEXT REFERENCES actors (id),
  error_code TEXT,
  error_message TEXT,
  -- Millionths of a dollar, of all times.
  cost INTEGER,
  taken_at TEXT NOT NULL,
  ended_at TEXT,
  PRIMARY KEY (repo_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX issue_triages_by_time ON issue_triages (repo_id, taken_at);

CREATE TABLE triage_proposals (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('label', 'duplicate', 'severity', 'question')),
  -- The name of a label, the number of an issue, a severity, or the question.
  value TEXT NOT NULL,
  reason TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'dismissed', 'applied')),
  decided_by TEXT,
  decided_at TEXT,
  FOREIGN KEY (repo_id, number) REFERENCES issue_triages (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX triage_proposals_of_issue ON triage_proposals (repo_id, number);
