-- Repositories. The fork of a pull request is a row too: it has a parent and a number in it instead of a name of its own,
-- shares the parent's object store, and follows the parent's workspace, name, visibility and state.
CREATE TABLE repos (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL COLLATE NOCASE,
  parent_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  pull_number INTEGER CHECK (pull_number > 0),
  -- The object store, named by the id of the family's first repository.
  store TEXT NOT NULL,
  description TEXT,
  website TEXT,
  topics TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(topics)),
  private INTEGER NOT NULL CHECK (private IN (0, 1)),
  default_branch TEXT NOT NULL DEFAULT 'main',
  protected INTEGER NOT NULL DEFAULT 1 CHECK (protected IN (0, 1)),
  -- What differs from the defaults, so that a default can change for those who never chose.
  settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
  -- Issues and pull requests share one row of numbers.
  next_number INTEGER NOT NULL DEFAULT 1,
  -- A new random word whenever a ref or HEAD changes. A counter would come back to the same number after a rollback, and
  -- what is kept in memory under it would then be of refs that never were.
  refs_generation TEXT NOT NULL,
  open_issues_count INTEGER NOT NULL DEFAULT 0,
  open_pulls_count INTEGER NOT NULL DEFAULT 0,
  language TEXT,
  license TEXT,
  size_in_bytes INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL REFERENCES actors (id),
  -- The person that an agent acted for when it made this.
  created_for TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  pushed_at TEXT,
  archived_at TEXT,
  deleted_at TEXT,
  deleted_by TEXT REFERENCES actors (id),
  purge_at TEXT,
  CHECK ((parent_id IS NULL) = (pull_number IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX repos_by_name ON repos (workspace_id, name) WHERE parent_id IS NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX repos_by_pull ON repos (parent_id, pull_number) WHERE parent_id IS NOT NULL;
CREATE INDEX repos_deleted ON repos (workspace_id, name, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX repos_public ON repos (private, updated_at) WHERE parent_id IS NULL AND deleted_at IS NULL;
CREATE INDEX repos_of_store ON repos (store);
CREATE INDEX repos_by_creator ON repos (created_by);

-- The refs of each repository, in byte order of their names, each with what an annotated tag points at in the end.
CREATE TABLE refs (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  oid TEXT NOT NULL CHECK (length(oid) IN (40, 64)),
  peeled TEXT CHECK (length(peeled) IN (40, 64)),
  moved_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, name)
) STRICT, WITHOUT ROWID;

-- Which open pull request a branch belongs to, and which pull request a commit came with. Written when pull requests change,
-- kept here so that reading code needs nothing that is built upon it.
CREATE TABLE branch_pulls (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  branch TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (repo_id, branch)
) STRICT, WITHOUT ROWID;

CREATE TABLE commit_pulls (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  oid TEXT NOT NULL,
  number INTEGER NOT NULL,
  session INTEGER NOT NULL CHECK (session IN (0, 1)),
  PRIMARY KEY (repo_id, oid)
) STRICT, WITHOUT ROWID;
