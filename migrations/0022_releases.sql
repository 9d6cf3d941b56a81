-- Releases: versions that were given out, with their files.
CREATE TABLE releases (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  tag_name TEXT NOT NULL CHECK (tag_name <> ''),
  -- Where its tag is made when it is published and there is none: as it was asked for, and the commit that this was then.
  target_name TEXT NOT NULL,
  target TEXT NOT NULL CHECK (length(target) IN (40, 64)),
  name TEXT NOT NULL CHECK (name <> ''),
  body TEXT NOT NULL,
  notes_generated INTEGER NOT NULL CHECK (notes_generated IN (0, 1)),
  prerelease INTEGER NOT NULL CHECK (prerelease IN (0, 1)),
  -- Whether somebody said that it is the latest, or is not; null leaves it to its version.
  latest_choice INTEGER CHECK (latest_choice IN (0, 1)),
  -- The answer: one published release of a repository at most.
  latest INTEGER NOT NULL DEFAULT 0 CHECK (latest IN (0, 1)),
  author_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  published_at TEXT, -- null is a draft
  listed_at TEXT NOT NULL GENERATED ALWAYS AS (coalesce(published_at, created_at)) STORED,
  UNIQUE (repo_id, tag_name),
  CHECK (latest = 0 OR (published_at IS NOT NULL AND prerelease = 0))
) STRICT;
CREATE INDEX releases_by_time ON releases (repo_id, listed_at, id);
CREATE UNIQUE INDEX releases_latest ON releases (repo_id) WHERE latest = 1;

CREATE TABLE release_assets (
  id TEXT PRIMARY KEY,
  release_id TEXT NOT NULL REFERENCES releases (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  label TEXT,
  content_type TEXT NOT NULL,
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64), -- the blob of this name holds its bytes
  download_count INTEGER NOT NULL DEFAULT 0,
  uploader_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  UNIQUE (release_id, name)
) STRICT;
CREATE INDEX release_assets_by_blob ON release_assets (sha256);
