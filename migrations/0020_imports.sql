-- Copies of repositories from elsewhere, as they go on and as they ended.

CREATE TABLE imports (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  source TEXT NOT NULL CHECK (source IN ('git')),
  -- Without name and password.
  url TEXT NOT NULL,
  -- What the other side asks for, sealed; taken away when the import ends.
  secret TEXT,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'waiting_for_limit', 'done', 'done_with_errors', 'failed', 'cancelled')),
  phase TEXT NOT NULL CHECK (phase IN ('waiting', 'connecting', 'receiving', 'checking', 'refs', 'over')),
  -- Starts that ended in an error or with the process.
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  objects_done INTEGER NOT NULL DEFAULT 0 CHECK (objects_done >= 0),
  objects_total INTEGER NOT NULL DEFAULT 0 CHECK (objects_total >= 0),
  bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
  refs_done INTEGER NOT NULL DEFAULT 0 CHECK (refs_done >= 0),
  refs_total INTEGER NOT NULL DEFAULT 0 CHECK (refs_total >= 0),
  errors TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(errors)),
  -- When it goes on by itself: after an error that may pass, or when the other side wants to be left alone for a while.
  resume_at TEXT,
  created_by TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  CHECK ((finished_at IS NOT NULL) = (state IN ('done', 'done_with_errors', 'failed', 'cancelled'))),
  CHECK (finished_at IS NULL OR secret IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX imports_of_repo ON imports (repo_id, id);
CREATE UNIQUE INDEX imports_at_work ON imports (repo_id) WHERE finished_at IS NULL;
