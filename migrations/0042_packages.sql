-- Packages: what a workspace publishes for the clients of seven registries.
CREATE TABLE packages (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  type TEXT NOT NULL CHECK (type <> ''),
  name TEXT NOT NULL CHECK (name <> ''),
  -- What makes two names one in the ecosystem. A deleted package holds its name.
  normal_name TEXT NOT NULL CHECK (normal_name <> ''),
  private INTEGER NOT NULL CHECK (private IN (0, 1)),
  -- Whether people get the roles that they have in the linked repository.
  inherit_access INTEGER NOT NULL DEFAULT 1 CHECK (inherit_access IN (0, 1)),
  repo_id TEXT REFERENCES repos (id) ON DELETE SET NULL,
  description TEXT,
  readme_sha256 TEXT CHECK (length(readme_sha256) = 64), -- the blob of this name holds the README
  latest_version_id TEXT,
  -- Of the versions that are not deleted.
  version_count INTEGER NOT NULL DEFAULT 0,
  size_in_bytes INTEGER NOT NULL DEFAULT 0,
  download_count INTEGER NOT NULL DEFAULT 0,
  -- Goes up with every change that a document of a client shows.
  revision INTEGER NOT NULL DEFAULT 1,
  modified_s INTEGER NOT NULL DEFAULT 0, -- for Last-Modified: two changes in one second differ
  created_by TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  deleted_by TEXT REFERENCES actors (id),
  purge_at TEXT,
  CHECK ((deleted_at IS NULL) = (purge_at IS NULL)),
  UNIQUE (workspace_id, type, normal_name)
) STRICT;
CREATE INDEX packages_by_time ON packages (workspace_id, updated_at, id);
CREATE INDEX packages_by_repo ON packages (repo_id) WHERE repo_id IS NOT NULL;
CREATE INDEX packages_by_purge ON packages (purge_at) WHERE purge_at IS NOT NULL;
CREATE INDEX packages_by_readme ON packages (readme_sha256) WHERE readme_sha256 IS NOT NULL;
-- Whether strangers are asked for a token (the door's answer must be the same for every name).
CREATE INDEX packages_private ON packages (workspace_id, type) WHERE private = 1;

CREATE TABLE package_versions (
  id TEXT PRIMARY KEY,
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  version TEXT NOT NULL CHECK (version <> ''),
  normal_version TEXT NOT NULL CHECK (normal_version <> ''),
  prerelease INTEGER NOT NULL CHECK (prerelease IN (0, 1)),
  digest TEXT NOT NULL CHECK (digest <> ''),
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  metadata TEXT NOT NULL, -- a JSON object, as published
  piece TEXT NOT NULL DEFAULT '', -- its part of the index, rendered once
  yanked INTEGER NOT NULL DEFAULT 0 CHECK (yanked IN (0, 1)),
  deprecated TEXT, -- what clients tell the person; null when it is not deprecated
  published_by TEXT NOT NULL REFERENCES actors (id),
  run_id TEXT,
  sha TEXT,
  download_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  deleted_at TEXT,
  deleted_by TEXT REFERENCES actors (id),
  purge_at TEXT,
  -- Deleted because its package was, and restored with it.
  deleted_with_package INTEGER NOT NULL DEFAULT 0 CHECK (deleted_with_package IN (0, 1)),
  CHECK ((deleted_at IS NULL) = (purge_at IS NULL)),
  UNIQUE (package_id, normal_version)
) STRICT;
CREATE INDEX package_versions_by_time ON package_versions (package_id, created_at, id);
CREATE INDEX package_versions_by_purge ON package_versions (purge_at) WHERE purge_at IS NOT NULL;

CREATE TABLE package_files (
  version_id TEXT NOT NULL REFERENCES package_versions (id) ON DELETE CASCADE,
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  path TEXT NOT NULL CHECK (path <> ''), -- what clients ask for; unique in the package
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64), -- the blob of this name holds its bytes
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  sha1 TEXT,
  md5 TEXT,
  sha512 TEXT,
  content_type TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (package_id, path)
) STRICT;
CREATE INDEX package_files_by_version ON package_files (version_id, path);
CREATE INDEX package_files_by_blob ON package_files (sha256);

CREATE TABLE package_tags (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  version_id TEXT NOT NULL REFERENCES package_versions (id) ON DELETE CASCADE,
  PRIMARY KEY (package_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX package_tags_by_version ON package_tags (version_id);

CREATE TABLE package_roles (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  actor_id TEXT NOT NULL REFERENCES actors (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (package_id, actor_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX package_roles_by_actor ON package_roles (actor_id);

-- Numbers of purged versions: other content is refused for them for ever.
CREATE TABLE package_bygone (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  normal_name TEXT NOT NULL,
  normal_version TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (workspace_id, type, normal_name, normal_version)
) STRICT, WITHOUT ROWID;

-- Downloads a day. Kept in memory and added every few seconds.
CREATE TABLE package_downloads (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  day TEXT NOT NULL CHECK (length(day) = 10),
  count INTEGER NOT NULL,
  PRIMARY KEY (package_id, day)
) STRICT, WITHOUT ROWID;

-- What the daily job deletes. A rule without a package holds for all packages of its workspace.
CREATE TABLE package_retention (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  package_id TEXT REFERENCES packages (id) ON DELETE CASCADE,
  keep_newest INTEGER NOT NULL CHECK (keep_newest >= 1),
  keep_matching TEXT,
  older_than_days INTEGER NOT NULL CHECK (older_than_days >= 0),
  untagged_only INTEGER NOT NULL CHECK (untagged_only IN (0, 1)),
  updated_by TEXT NOT NULL REFERENCES actors (id),
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX package_retention_of ON package_retention (workspace_id, coalesce(package_id, ''));
CREATE INDEX package_retention_by_package ON package_retention (package_id);

-- Container images (OCI distribution). A manifest is in its row, because a pull asks for little else.
CREATE TABLE image_manifests (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  digest TEXT NOT NULL,
  media_type TEXT NOT NULL,
  bytes BLOB NOT NULL, -- as it was sent, 4 MiB at most
  subject TEXT,
  artifact_type TEXT,
  annotations TEXT, -- a JSON object
  size_in_bytes INTEGER NOT NULL, -- with the layers that it names
  pushed_at TEXT NOT NULL,
  PRIMARY KEY (package_id, digest)
) STRICT;
CREATE INDEX image_manifests_by_subject ON image_manifests (package_id, subject) WHERE subject IS NOT NULL;

-- What a manifest names: layers, its configuration, and the manifests of an index.
CREATE TABLE image_refs (
  package_id TEXT NOT NULL,
  manifest TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (package_id, manifest, digest),
  FOREIGN KEY (package_id, manifest) REFERENCES image_manifests (package_id, digest) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX image_refs_by_digest ON image_refs (package_id, digest);

-- Which layers a package has, by push or mount.
CREATE TABLE image_blobs (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  digest TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64), -- the blob of this name holds its bytes
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  linked_at TEXT NOT NULL,
  PRIMARY KEY (package_id, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX image_blobs_by_blob ON image_blobs (sha256);
CREATE INDEX image_blobs_by_digest ON image_blobs (digest);
CREATE INDEX image_blobs_by_time ON image_blobs (linked_at);

-- Who may make packages in a workspace.
ALTER TABLE workspaces ADD COLUMN package_creation TEXT NOT NULL DEFAULT 'members'
  CHECK (package_creation IN ('members', 'owners'));
