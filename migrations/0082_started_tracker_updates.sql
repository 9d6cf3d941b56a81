-- Whether an attempt began. A service may have an update whose answer nobody read, so a comment is
-- looked for there before it is sent again.
ALTER TABLE tracker_updates ADD COLUMN started INTEGER NOT NULL DEFAULT 0
  CHECK (started IN (0, 1));
UPDATE tracker_updates SET started = 1 WHERE attempt > 0;
