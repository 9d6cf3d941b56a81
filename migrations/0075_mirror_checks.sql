-- Whether the checks of a remote that leads report nothing, so that workflows run here.
ALTER TABLE mirrors ADD COLUMN checks_silent INTEGER NOT NULL DEFAULT 0 CHECK (checks_silent IN (0, 1));
ALTER TABLE mirrors ADD COLUMN checks_seen_at TEXT; -- when a result of the remote was last seen; null: it may have no checks

-- Pushes that were fetched from a remote that leads, and whose checks it has not been seen to report.
CREATE TABLE mirror_waiting (
  mirror_id TEXT NOT NULL REFERENCES mirrors (id) ON DELETE CASCADE,
  event_id TEXT NOT NULL,
  ref TEXT NOT NULL,
  sha TEXT NOT NULL,
  fetched_at TEXT NOT NULL,
  PRIMARY KEY (mirror_id, event_id)
) STRICT, WITHOUT ROWID;
