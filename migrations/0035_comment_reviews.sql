-- A review that only comments may have no text of its own, as the comments on lines are its content.
CREATE TABLE reviews_next (
  id TEXT PRIMARY KEY,
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  author_id TEXT NOT NULL REFERENCES actors (id),
  verdict TEXT NOT NULL CHECK (verdict IN ('approve', 'request_changes', 'comment')),
  body TEXT NOT NULL CHECK (body <> '' OR verdict <> 'request_changes'),
  commit_sha TEXT NOT NULL,
  diff_id TEXT NOT NULL, -- the change that was looked at
  could_write INTEGER NOT NULL CHECK (could_write IN (0, 1)), -- of the token that wrote it; people are looked up anew
  outdated INTEGER NOT NULL DEFAULT 0 CHECK (outdated IN (0, 1)), -- given to a draft that became ready since
  dismissed_by TEXT REFERENCES actors (id),
  dismissed_at TEXT CHECK ((dismissed_at IS NULL) = (dismissed_by IS NULL)),
  dismissed_reason TEXT,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO reviews_next SELECT id, pull_id, author_id, verdict, body, commit_sha, diff_id, could_write, outdated,
  dismissed_by, dismissed_at, dismissed_reason, created_at FROM reviews;
DROP TABLE reviews;
-- A view reads reviews, which is missing for a moment. SQLite checks views in a rename unless told otherwise.
PRAGMA legacy_alter_table = ON;
ALTER TABLE reviews_next RENAME TO reviews;
PRAGMA legacy_alter_table = OFF;
CREATE INDEX reviews_of_pull ON reviews (pull_id, id);
