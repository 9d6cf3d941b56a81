-- Imports of more than code: from the API of another forge, in steps that each know where to go on.

CREATE TABLE imports_now (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  source TEXT NOT NULL CHECK (source IN ('git', 'gitea_api', 'github_api', 'gitlab_api')),
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
  -- JSON: what the other forge said about the repository when the import began; null before that, and for git.
  facts TEXT CHECK (facts IS NULL OR json_valid(facts)),
  -- Why the last attempt failed, until another one ends.
  problem TEXT,
  -- Whether the code is complete, so that the repository can be used while the rest arrives.
  code_complete INTEGER NOT NULL DEFAULT 0 CHECK (code_complete IN (0, 1)),
  CHECK ((finished_at IS NOT NULL) = (state IN ('done', 'done_with_errors', 'failed', 'cancelled'))),
  CHECK (finished_at IS NULL OR secret IS NULL)
) STRICT, WITHOUT ROWID;

INSERT INTO imports_now (id, repo_id, source, url, secret, state, phase, attempts, objects_done, objects_total, bytes,
    refs_done, refs_total, errors, resume_at, created_by, created_at, started_at, finished_at, code_complete)
  SELECT id, repo_id, source, url, secret, state, phase, attempts, objects_done, objects_total, bytes, refs_done,
    refs_total, errors, resume_at, created_by, created_at, started_at, finished_at,
    CASE WHEN state IN ('done', 'done_with_errors') THEN 1 ELSE 0 END
  FROM imports;

DROP TABLE imports;

ALTER TABLE imports_now RENAME TO imports;

CREATE INDEX imports_of_repo ON imports (repo_id, id);

CREATE UNIQUE INDEX imports_at_work ON imports (repo_id) WHERE finished_at IS NULL;

-- What an import takes over. The order of the steps is that of the code.
CREATE TABLE import_steps (
  import_id TEXT NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'done_with_errors')),
  -- Where the step goes on; null at its beginning.
  cursor TEXT,
  done INTEGER NOT NULL DEFAULT 0 CHECK (done >= 0),
  total INTEGER NOT NULL DEFAULT 0 CHECK (total >= 0),
  PRIMARY KEY (import_id, name)
) STRICT, WITHOUT ROWID;

-- Records that came, by their ids there, so that none comes twice.
CREATE TABLE import_items (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('milestone', 'comment', 'review', 'file')),
  foreign_id TEXT NOT NULL,
  our_id TEXT NOT NULL,
  PRIMARY KEY (repo_id, kind, foreign_id)
) STRICT, WITHOUT ROWID;

-- People of the other forge who wrote something that came with a repository.
CREATE TABLE imported_people (
  -- Stands for the person here; nobody can sign in as it.
  actor_id TEXT PRIMARY KEY REFERENCES actors (id),
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  foreign_id TEXT NOT NULL,
  login TEXT NOT NULL,
  name TEXT,
  url TEXT,
  -- Whose account it is, once an administrator has said so.
  mapped_to TEXT REFERENCES actors (id),
  UNIQUE (repo_id, host, foreign_id)
) STRICT, WITHOUT ROWID;
