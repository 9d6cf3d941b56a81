-- Files of Git LFS. They belong to a repository with all its forks, and the blob named by the oid holds the bytes.
CREATE TABLE lfs_objects (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE, -- never a fork
  oid TEXT NOT NULL CHECK (length(oid) = 64 AND oid NOT GLOB '*[^0-9a-f]*'), -- the SHA-256
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  uploader_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  unused_since TEXT, -- when no pointer was found that names it; it is deleted some weeks after
  PRIMARY KEY (repo_id, oid)
) STRICT, WITHOUT ROWID;
CREATE INDEX lfs_objects_by_blob ON lfs_objects (oid);

-- Locks of files, by which people with `git lfs lock` keep others from editing what cannot be merged.
CREATE TABLE lfs_locks (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE, -- never a fork
  path TEXT NOT NULL,
  owner_id TEXT NOT NULL REFERENCES actors (id),
  locked_at TEXT NOT NULL,
  UNIQUE (repo_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX lfs_locks_of_repo ON lfs_locks (repo_id, id);

-- Keys of machines, with which they read or write one repository over SSH.
CREATE TABLE deploy_keys (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
  algorithm TEXT NOT NULL,
  key TEXT NOT NULL, -- the blob in base64
  fingerprint TEXT NOT NULL UNIQUE, -- SHA256:…; no key of a person has the same
  created_by TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  last_used_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX deploy_keys_of_repo ON deploy_keys (repo_id, id);

ALTER TABLE keys ADD COLUMN last_used_at TEXT; -- by a sign-in over SSH
