-- How long runners worked for a workspace in a month, which the quota `run_minutes` limits. Runs are
-- deleted, so their rows cannot tell it.
CREATE TABLE run_time (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  month TEXT NOT NULL, -- its first day
  ms INTEGER NOT NULL CHECK (ms >= 0),
  PRIMARY KEY (workspace_id, month)
) STRICT, WITHOUT ROWID;

-- A job that was copied into a later attempt ran once.
INSERT INTO run_time
  SELECT j.workspace_id, substr(j.finished_at, 1, 7) || '-01',
    CAST(sum(max(0, round((julianday(j.finished_at) - julianday(j.started_at)) * 86400000))) AS INTEGER)
  FROM workflow_jobs j JOIN workspaces w ON w.id = j.workspace_id
  WHERE j.runner_name IS NOT NULL AND j.same_as IS NULL AND j.finished_at IS NOT NULL
    AND j.started_at IS NOT NULL
  GROUP BY 1, 2;
