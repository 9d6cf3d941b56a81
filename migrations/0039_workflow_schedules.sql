-- When workflows of default branches run by schedule.
CREATE TABLE workflow_schedules (
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  cron TEXT NOT NULL,
  -- The next time that it is due, in milliseconds; null when that never comes.
  next_at INTEGER,
  PRIMARY KEY (workflow_id, cron)
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_schedules_due ON workflow_schedules (next_at) WHERE next_at IS NOT NULL;
