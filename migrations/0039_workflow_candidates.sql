-- Commits that the merge queue wants to land, and whose runs it waits for.
CREATE TABLE workflow_candidates (
  -- The entry of the queue.
  entry_id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  base_sha TEXT NOT NULL,
  base_ref TEXT NOT NULL,
  pull INTEGER NOT NULL,
  actor_id TEXT NOT NULL,
  -- Whether its runs have been made.
  planned INTEGER NOT NULL DEFAULT 0 CHECK (planned IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_candidates_of_commit ON workflow_candidates (repo_id, sha);
