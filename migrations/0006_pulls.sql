-- Proposed changes. The number, and with it labels, assignees and comments, is that of a row of records.
CREATE TABLE pulls (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  title TEXT NOT NULL CHECK (title <> ''),
  body TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'open', 'closed', 'merged')),
  active INTEGER NOT NULL GENERATED ALWAYS AS (status IN ('draft', 'open')) STORED,
  issue INTEGER, -- the issue it was made for
  branch TEXT, -- its head, when that is a branch of the repository itself
  fork_id TEXT REFERENCES repos (id) ON DELETE SET NULL, -- where its head is otherwise; null again once that is removed
  base_ref TEXT NOT NULL,
  base_sha TEXT NOT NULL, -- the tip of the base while the pull is active; afterwards what it was then
  head_ref TEXT, -- null until something was pushed to the fork
  head_sha TEXT,
  author_id TEXT NOT NULL REFERENCES actors (id),
  agent TEXT,
  revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
  auto_merge INTEGER NOT NULL DEFAULT 0 CHECK (auto_merge IN (0, 1)),
  closed_from TEXT CHECK (closed_from IN ('draft', 'open')), -- what reopening gives back
  closed_because TEXT CHECK (closed_because IN ('asked', 'branch_deleted', 'superseded')),
  closed_by TEXT REFERENCES actors (id),
  superseded_by INTEGER,
  merged_by TEXT REFERENCES actors (id),
  merge_commit_sha TEXT,
  merge_method TEXT CHECK (merge_method IN ('merge', 'squash', 'rebase')),
  session_entries INTEGER NOT NULL DEFAULT 0, -- also the last sequence number, because there are no gaps
  session_last_at TEXT,
  session_cost REAL,
  session_told_seq INTEGER NOT NULL DEFAULT 0, -- the last entry that an event told of
  session_told_at INTEGER NOT NULL DEFAULT 0, -- when, in milliseconds since 1970
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  ready_at TEXT,
  merged_at TEXT,
  closed_at TEXT,
  UNIQUE (repo_id, number),
  CHECK ((head_sha IS NULL) = (head_ref IS NULL)),
  CHECK (branch IS NULL OR fork_id IS NULL),
  CHECK ((status = 'merged') = (merged_at IS NOT NULL)),
  CHECK ((status IN ('draft', 'open')) = (closed_at IS NULL)),
  CHECK ((status = 'closed') = (closed_from IS NOT NULL)),
  CHECK (superseded_by IS NULL OR status = 'closed'),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT;
CREATE INDEX pulls_by_active ON pulls (repo_id, active, number);
CREATE INDEX pulls_by_status ON pulls (repo_id, status, number);
CREATE INDEX pulls_by_author ON pulls (repo_id, author_id, number);
CREATE INDEX pulls_by_issue ON pulls (repo_id, issue, number) WHERE issue IS NOT NULL;
CREATE INDEX pulls_by_base ON pulls (repo_id, base_ref, number) WHERE active = 1;
CREATE INDEX pulls_by_branch ON pulls (repo_id, branch, number) WHERE branch IS NOT NULL;
CREATE INDEX pulls_by_fork ON pulls (fork_id) WHERE fork_id IS NOT NULL;

-- Every commit that was a head: what reviews and changes may be asked for besides the present one.
CREATE TABLE pull_heads (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  pushed_at TEXT NOT NULL,
  PRIMARY KEY (pull_id, sha)
) STRICT, WITHOUT ROWID;

-- What git says of a pair of commits. A row counts only while both are still the ones of its pull; it is a cache, and
-- may be dropped at any time.
CREATE TABLE pull_stats (
  pull_id TEXT PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
  base_sha TEXT NOT NULL,
  head_sha TEXT NOT NULL,
  merge_base_sha TEXT,
  commits INTEGER NOT NULL,
  files INTEGER NOT NULL,
  additions INTEGER NOT NULL,
  deletions INTEGER NOT NULL,
  behind INTEGER NOT NULL,
  conflict_paths TEXT CHECK (json_valid(conflict_paths)), -- null when it merges without conflicts
  touched_paths TEXT NOT NULL CHECK (json_valid(touched_paths)),
  diff_id TEXT NOT NULL, -- the same for two heads that make the same change
  computed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Which paths, and which lines of the base, a pull changes: overlaps are found by path, never by comparing pulls.
CREATE TABLE pull_touches (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL,
  path TEXT NOT NULL,
  ranges TEXT NOT NULL CHECK (json_valid(ranges)),
  PRIMARY KEY (pull_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX pull_touches_by_path ON pull_touches (repo_id, path, pull_id);

CREATE TABLE reviews (
  id TEXT PRIMARY KEY,
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  author_id TEXT NOT NULL REFERENCES actors (id),
  verdict TEXT NOT NULL CHECK (verdict IN ('approve', 'request_changes', 'comment')),
  body TEXT NOT NULL CHECK (body <> '' OR verdict = 'approve'),
  commit_sha TEXT NOT NULL,
  diff_id TEXT NOT NULL, -- the change that was looked at
  could_write INTEGER NOT NULL CHECK (could_write IN (0, 1)), -- of the token that wrote it; people are looked up anew
  outdated INTEGER NOT NULL DEFAULT 0 CHECK (outdated IN (0, 1)), -- given to a draft that became ready since
  dismissed_by TEXT REFERENCES actors (id),
  dismissed_at TEXT CHECK ((dismissed_at IS NULL) = (dismissed_by IS NULL)),
  dismissed_reason TEXT,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX reviews_of_pull ON reviews (pull_id, id);

-- How a pull was made, in order and without gaps. Only ever added to.
CREATE TABLE session_entries (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq > 0),
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  tool TEXT,
  at TEXT NOT NULL,
  author_id TEXT REFERENCES actors (id), -- null for what the service wrote
  sha TEXT,
  data TEXT CHECK (json_valid(data)),
  truncated INTEGER NOT NULL CHECK (truncated IN (0, 1)),
  redacted INTEGER NOT NULL CHECK (redacted IN (0, 1)),
  PRIMARY KEY (pull_id, seq)
) STRICT;
