-- What working together on pull requests needs beyond reviews: owners who must approve, merging by itself, and what each
-- reader has seen or not yet said.

-- Who answers for the paths that a pull changes, as the base's file of code owners says. Names as written, because whom they
-- stand for may change; a row counts only while both commits are still the ones of its pull.
CREATE TABLE pull_owners (
  pull_id TEXT PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
  base_sha TEXT NOT NULL,
  head_sha TEXT NOT NULL,
  owners TEXT NOT NULL CHECK (json_valid(owners)) -- [{ owners: [name], paths: [path], count }]
) STRICT, WITHOUT ROWID;

-- Who wants a pull merged as soon as nothing stands in its way. It is done with the rights of that account, and of the token
-- that asked when it was one, as they are at that moment. Nobody: the repository's settings want it.
CREATE TABLE auto_merges (
  pull_id TEXT PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
  asked_by TEXT REFERENCES actors (id),
  token_id TEXT,
  updates INTEGER NOT NULL DEFAULT 0 CHECK (updates >= 0), -- how often the base was merged in for it
  asked_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Files that a reader has seen in the version that they had then; another version is unseen again.
CREATE TABLE viewed_files (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES actors (id),
  path TEXT NOT NULL,
  oid TEXT NOT NULL, -- empty for a removed file
  viewed_at TEXT NOT NULL,
  PRIMARY KEY (pull_id, user_id, path)
) STRICT, WITHOUT ROWID;

-- Comments of a review that is not sent yet; nobody but their author sees them.
CREATE TABLE review_drafts (
  id TEXT PRIMARY KEY,
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  author_id TEXT NOT NULL REFERENCES actors (id),
  path TEXT NOT NULL,
  line INTEGER NOT NULL CHECK (line > 0),
  start_line INTEGER CHECK (start_line > 0),
  side TEXT NOT NULL CHECK (side IN ('new', 'old')),
  commit_sha TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body <> ''),
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX review_drafts_of ON review_drafts (pull_id, author_id, id);

-- Directories that a pull renames or deletes: what others change below them goes with it.
CREATE TABLE pull_folders (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL,
  path TEXT NOT NULL, -- ends in a slash
  PRIMARY KEY (pull_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX pull_folders_of_repo ON pull_folders (repo_id, pull_id);

-- Merging by itself looks at these again and again.
CREATE INDEX pulls_merging_themselves ON pulls (repo_id) WHERE active = 1 AND auto_merge = 1;
