-- The merge queue: pull requests that wait to land on a base, one after the other, each tested on top of those before it.
CREATE TABLE queue_entries (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  number INTEGER NOT NULL, -- of the pull request
  base_ref TEXT NOT NULL,
  place INTEGER, -- the order of landing; null once it has left or landed
  state TEXT NOT NULL CHECK (state IN ('queued', 'testing', 'passed', 'landing', 'landed', 'failed', 'removed')),
  attempt INTEGER NOT NULL DEFAULT 1 CHECK (attempt > 0),
  method TEXT NOT NULL CHECK (method IN ('merge', 'squash', 'rebase')),
  message TEXT, -- of the commit, when one was given
  keep_issue_open INTEGER NOT NULL CHECK (keep_issue_open IN (0, 1)),
  commands TEXT NOT NULL CHECK (json_valid(commands)), -- what must pass, as it was when it came in
  head_sha TEXT NOT NULL, -- the head that was asked to be merged
  base_sha TEXT, -- what its candidate was built on, or found to conflict with
  rests_on TEXT, -- the entry that base_sha is the candidate of; null for the base itself
  candidate_sha TEXT,
  candidate_tree TEXT,
  run_id TEXT, -- the checks of its latest candidate
  -- What is wrong with its candidate. It stands as soon as everything ahead has passed; until then an entry ahead may be the cause.
  verdict TEXT CHECK (verdict IN ('checks_failed', 'timed_out', 'conflicts', 'internal')),
  look INTEGER NOT NULL DEFAULT 0 CHECK (look IN (0, 1)), -- something happened after which it may not be mergeable any more
  reason TEXT, -- why it left
  note TEXT, -- the same, or what it waits for, in words
  queued_by TEXT NOT NULL REFERENCES actors (id),
  token_id TEXT, -- the token that asked, which must still be there when it lands
  queued_at TEXT NOT NULL,
  started_at TEXT, -- when the latest candidate began to be tested
  passed_at TEXT,
  settled_at TEXT,
  CHECK ((place IS NULL) = (state IN ('landed', 'failed', 'removed'))),
  CHECK ((settled_at IS NULL) = (place IS NOT NULL)),
  CHECK ((candidate_sha IS NULL) = (candidate_tree IS NULL)),
  CHECK (state NOT IN ('testing', 'passed', 'landing', 'landed') OR (candidate_sha IS NOT NULL AND base_sha IS NOT NULL))
) STRICT, WITHOUT ROWID;
-- A pull request waits at most once.
CREATE UNIQUE INDEX queue_entries_of_pull ON queue_entries (repo_id, number) WHERE place IS NOT NULL;
CREATE INDEX queue_entries_waiting ON queue_entries (repo_id, base_ref, place) WHERE place IS NOT NULL;
CREATE INDEX queue_entries_settled ON queue_entries (repo_id, base_ref, settled_at) WHERE place IS NULL;
CREATE INDEX queue_entries_by_run ON queue_entries (run_id) WHERE run_id IS NOT NULL AND place IS NOT NULL;

-- Queues that land nothing for now.
CREATE TABLE queue_pauses (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  base_ref TEXT NOT NULL,
  paused_by TEXT NOT NULL REFERENCES actors (id),
  paused_at TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (reason <> ''),
  PRIMARY KEY (repo_id, base_ref)
) STRICT, WITHOUT ROWID;
