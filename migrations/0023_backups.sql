-- Backups that this forge made or tries to make. What is in a backup stands in its manifest, where the backup is.
CREATE TABLE backups (
  id TEXT PRIMARY KEY,
  -- Given by a person; one with a name is kept until a person takes it away.
  name TEXT,
  place TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
  scheduled INTEGER NOT NULL CHECK (scheduled IN (0, 1)),
  encrypted INTEGER NOT NULL CHECK (encrypted IN (0, 1)),
  -- How far it is: JSON with phase, files_done, files_total, bytes_done, bytes_total.
  progress TEXT CHECK (json_valid(progress)),
  files INTEGER,
  repositories INTEGER,
  bytes INTEGER,
  -- Bytes that were new in the place.
  added_bytes INTEGER,
  notes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(notes)),
  error TEXT,
  -- The last look at it.
  verification TEXT CHECK (verification IN ('queued', 'running', 'passed', 'failed')),
  -- Whether it was restored for that, or only held against its sums.
  verified_by TEXT CHECK (verified_by IN ('restoring', 'sums')),
  findings TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(findings)),
  verified_at TEXT,
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  CHECK ((finished_at IS NOT NULL) = (state IN ('done', 'failed'))),
  CHECK ((error IS NOT NULL) = (state = 'failed'))
) STRICT, WITHOUT ROWID;
