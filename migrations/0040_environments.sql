-- Where jobs deploy to, with what has to happen before they may.
CREATE TABLE environments (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL COLLATE NOCASE,
  -- JSON: ids of people and teams; one approval of any of them is enough.
  reviewers TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(reviewers)),
  wait_minutes INTEGER NOT NULL DEFAULT 0 CHECK (wait_minutes BETWEEN 0 AND 43200),
  -- JSON: patterns of branches; none means all.
  branches TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(branches)),
  prevent_self_review INTEGER NOT NULL DEFAULT 1 CHECK (prevent_self_review IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (repo_id, name)
) STRICT, WITHOUT ROWID;

-- Jobs that deploy, or wait for it. The rows outlive their runs and environments.
CREATE TABLE deployments (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  environment_id TEXT REFERENCES environments (id) ON DELETE SET NULL,
  environment TEXT NOT NULL COLLATE NOCASE,
  run_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  job TEXT NOT NULL,
  ref TEXT NOT NULL,
  sha TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'queued', 'in_progress', 'success', 'failure', 'inactive', 'rejected')),
  -- 1 until its job has ended.
  is_open INTEGER NOT NULL DEFAULT 1 CHECK (is_open IN (0, 1)),
  -- Why it was rejected by something else than a review.
  reason TEXT,
  creator_id TEXT REFERENCES actors (id),
  url TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX deployments_open ON deployments (job_id) WHERE is_open = 1;

CREATE INDEX deployments_of_repo ON deployments (repo_id, id);

CREATE INDEX deployments_of_environment ON deployments (repo_id, environment, id);

CREATE INDEX deployments_of_commit ON deployments (repo_id, sha, id);

CREATE INDEX deployments_waiting ON deployments (created_at) WHERE state = 'waiting';

CREATE INDEX deployments_by_environment_id ON deployments (environment_id) WHERE environment_id IS NOT NULL;

CREATE TABLE deployment_reviews (
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES actors (id),
  verdict TEXT NOT NULL CHECK (verdict IN ('approve', 'reject')),
  comment TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (deployment_id, user_id)
) STRICT, WITHOUT ROWID;
