-- What people and agents want to be remembered when a repository or a workspace is worked on.
CREATE TABLE memories (
  id TEXT PRIMARY KEY,
  workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('fact', 'convention', 'decision', 'gotcha')),
  text TEXT NOT NULL,
  -- The text in lower case with single spaces: equal texts are one memory.
  folded TEXT NOT NULL,
  pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
  -- JSON: the files that it is about, each with the object that the default branch had there.
  paths TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(paths)),
  author_id TEXT NOT NULL REFERENCES actors (id),
  -- The pull request that the agent worked on.
  pull_number INTEGER,
  -- 1 when no agent gets it before a person has read it.
  needs_review INTEGER NOT NULL DEFAULT 0 CHECK (needs_review IN (0, 1)),
  reviewed_at TEXT,
  uses INTEGER NOT NULL DEFAULT 0,
  last_used_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((workspace_id IS NULL) <> (repo_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX memories_of_repo ON memories (repo_id, folded) WHERE repo_id IS NOT NULL;

CREATE UNIQUE INDEX memories_of_workspace ON memories (workspace_id, folded) WHERE workspace_id IS NOT NULL;

-- How many an agent wrote lately.
CREATE INDEX memories_by_author ON memories (author_id, created_at);

ALTER TABLE workspaces ADD COLUMN memory_review INTEGER NOT NULL DEFAULT 0 CHECK (memory_review IN (0, 1));
