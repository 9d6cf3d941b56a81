-- What is in the bucket of storage.bucket: packs with their indexes, and uploaded files.
CREATE TABLE stored_files (
  name TEXT PRIMARY KEY, -- its path below the data directory
  store TEXT, -- the object store of a pack or an index; null for an uploaded file
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  modified_ms INTEGER NOT NULL, -- as the file's own time: maintenance goes by it
  stored_at TEXT NOT NULL,
  used_ms INTEGER NOT NULL, -- when its store, or itself, was last asked for, to the minute
  proven INTEGER NOT NULL DEFAULT 0 CHECK (proven IN (0, 1)), -- whether its bytes were read back from the bucket
  away INTEGER NOT NULL DEFAULT 0 CHECK (away IN (0, 1)), -- whether it is in the bucket only
  unneeded_at TEXT -- since when nothing stands for it; it goes a day later, because a copy of the database may be behind
) STRICT, WITHOUT ROWID;
CREATE INDEX stored_files_of_store ON stored_files (store);
CREATE INDEX stored_files_unneeded ON stored_files (unneeded_at) WHERE unneeded_at IS NOT NULL;
