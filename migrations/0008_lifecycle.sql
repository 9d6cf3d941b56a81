-- What happens to repositories after they were made: old names that lead on, and deleted ones on their way out.

-- Names that a repository had before, by a rename or a transfer. A new repository may take one, which ends it.
CREATE TABLE redirects (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL COLLATE NOCASE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX redirects_of_repo ON redirects (repo_id);

-- The same for branches, for addresses of pages. A new branch of the old name ends it.
CREATE TABLE branch_redirects (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  previous TEXT NOT NULL,
  branch TEXT NOT NULL,
  PRIMARY KEY (repo_id, previous)
) STRICT, WITHOUT ROWID;

-- Set when a deleted repository is gone for good: nobody finds it any more, and a job takes away its rows.
ALTER TABLE repos ADD COLUMN purged_at TEXT CHECK (purged_at IS NULL OR deleted_at IS NOT NULL);
CREATE INDEX repos_by_purge ON repos (purge_at) WHERE purge_at IS NOT NULL AND purged_at IS NULL;
