-- What a pull request changes in the packages of its lock files.
CREATE TABLE dependency_reviews (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  head_sha TEXT NOT NULL,
  base_sha TEXT NOT NULL,
  -- JSON.
  changes TEXT NOT NULL CHECK (json_valid(changes)),
  -- Changes that are not stored.
  left_out INTEGER NOT NULL,
  -- Advisories of a high or critical severity that the pull request brings in.
  failing INTEGER NOT NULL,
  PRIMARY KEY (repo_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX dependency_reviews_of_head ON dependency_reviews (repo_id, head_sha);
