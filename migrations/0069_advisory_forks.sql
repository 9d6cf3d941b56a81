-- The private fork of an advisory, in which its mend is made. It is no row of repos, so nothing that lists, reads or
-- follows repositories finds it. Its objects are in a store of its own.
CREATE TABLE advisory_forks (
  id TEXT PRIMARY KEY,
  advisory_id TEXT NOT NULL UNIQUE REFERENCES advisories (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  store TEXT NOT NULL UNIQUE,
  -- The branch that follows the default branch of the repository.
  base_branch TEXT NOT NULL,
  -- Changes whenever a ref does.
  generation TEXT NOT NULL,
  size_in_bytes INTEGER NOT NULL DEFAULT 0,
  -- Why the base could not be copied.
  problem TEXT,
  -- What was merged last.
  merged_branch TEXT,
  merged_sha TEXT,
  merged_by TEXT REFERENCES actors (id),
  merged_at TEXT,
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  pushed_at TEXT,
  -- Set when the advisory is published: nothing is pushed any more.
  remove_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX advisory_forks_of_repo ON advisory_forks (repo_id);
CREATE INDEX advisory_forks_to_remove ON advisory_forks (remove_at) WHERE remove_at IS NOT NULL;

CREATE TABLE advisory_fork_refs (
  fork_id TEXT NOT NULL REFERENCES advisory_forks (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  oid TEXT NOT NULL,
  moved_at TEXT NOT NULL,
  PRIMARY KEY (fork_id, name)
) STRICT, WITHOUT ROWID;

-- Who was invited to work on an advisory, besides Admins and security managers.
CREATE TABLE advisory_collaborators (
  advisory_id TEXT NOT NULL REFERENCES advisories (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  added_by TEXT REFERENCES actors (id),
  added_at TEXT NOT NULL,
  PRIMARY KEY (advisory_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX advisory_collaborators_of_user ON advisory_collaborators (user_id);

-- Object stores besides those of repositories, and what their refs point at. Views, because maintenance and backups of
-- stores need not know what a store is for.
CREATE VIEW private_stores (store, repo_id, workspace_id, size_in_bytes, used_at, purged_at) AS
SELECT f.store, f.repo_id, r.workspace_id, f.size_in_bytes, coalesce(f.pushed_at, f.created_at), r.purged_at
FROM advisory_forks f JOIN repos r ON r.id = f.repo_id;

CREATE VIEW private_store_refs (store, name, oid) AS
SELECT f.store, x.name, x.oid FROM advisory_forks f JOIN advisory_fork_refs x ON x.fork_id = f.id;
