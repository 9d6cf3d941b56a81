-- The reason of a lock is any short text. SQLite cannot change a CHECK, so a new column takes the place of the old one.
ALTER TABLE records RENAME COLUMN lock_reason TO lock_word;
ALTER TABLE records ADD COLUMN lock_reason TEXT CHECK (lock_reason IS NULL OR locked = 1);
UPDATE records SET lock_reason = lock_word WHERE lock_word IS NOT NULL;
ALTER TABLE records DROP COLUMN lock_word;

-- Who pushed to the head of a pull request: the people, also for their agents. Their approvals need not count.
CREATE TABLE pull_pushers (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  principal_id TEXT NOT NULL REFERENCES actors (id),
  PRIMARY KEY (pull_id, principal_id)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO pull_pushers (pull_id, principal_id)
SELECT p.pull_id, coalesce(a.on_behalf_of, a.id) FROM head_pushers p JOIN actors a ON a.id = p.actor_id;
