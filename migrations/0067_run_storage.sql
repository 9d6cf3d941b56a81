-- What runs take: bytes of packed logs, and a quota of artifacts, caches and logs together.
ALTER TABLE workflow_jobs ADD COLUMN log_stored_bytes INTEGER NOT NULL DEFAULT 0; -- on disk, once the job has ended

-- Logs from before count as large as their text.
UPDATE workflow_jobs SET log_stored_bytes = log_bytes WHERE log_state = 'packed' AND same_as IS NULL;

CREATE INDEX workflow_jobs_logs ON workflow_jobs (repo_id, log_stored_bytes) WHERE log_stored_bytes > 0;

ALTER TABLE quotas ADD COLUMN actions_bytes INTEGER;
