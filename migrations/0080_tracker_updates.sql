-- What a service is told about its issues, besides what it tells itself.
ALTER TABLE incoming_hooks ADD COLUMN sync_status INTEGER NOT NULL DEFAULT 0
  CHECK (sync_status IN (0, 1));
ALTER TABLE incoming_hooks ADD COLUMN sync_comments INTEGER NOT NULL DEFAULT 0
  CHECK (sync_comments IN (0, 1));
-- Which alert, error or ticket an issue stands for.
CREATE INDEX incoming_subjects_of_issue ON incoming_subjects (repo_id, number);

CREATE TABLE tracker_updates (
  seq INTEGER PRIMARY KEY,
  integration_id TEXT NOT NULL REFERENCES incoming_hooks (integration_id) ON DELETE CASCADE,
  fingerprint TEXT NOT NULL,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('status', 'comment')),
  -- The comment whose text is sent; null for the status.
  comment_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed', 'cancelled')),
  attempt INTEGER NOT NULL,
  -- Milliseconds; null once it has ended.
  due_at INTEGER,
  -- Why it was not sent.
  message TEXT,
  created_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;

CREATE INDEX tracker_updates_due ON tracker_updates (integration_id, due_at)
  WHERE due_at IS NOT NULL;

CREATE INDEX tracker_updates_of_hook ON tracker_updates (integration_id, seq);
