-- The token of each job that a runner has. It ends with the job.
CREATE TABLE workflow_tokens (
  token_id TEXT PRIMARY KEY REFERENCES tokens (id) ON DELETE CASCADE,
  job_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_tokens_of_job ON workflow_tokens (job_id);

-- Who acts with the token of a job: one agent for each person who starts runs.
CREATE TABLE workflow_actors (
  owner_id TEXT PRIMARY KEY REFERENCES actors (id) ON DELETE CASCADE,
  actor_id TEXT NOT NULL REFERENCES actors (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_actors_by_actor ON workflow_actors (actor_id);
