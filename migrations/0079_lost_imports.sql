-- Starts since the last progress that have not ended, or ended with the process.
ALTER TABLE imports ADD COLUMN lost_starts INTEGER NOT NULL DEFAULT 0 CHECK (lost_starts >= 0);
-- The furthest phase that it ever reached.
ALTER TABLE imports ADD COLUMN furthest TEXT NOT NULL DEFAULT 'waiting';
