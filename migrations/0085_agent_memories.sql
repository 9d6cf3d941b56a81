-- Whether a run has been given its memories, which is done when it begins to work. Earlier runs were
-- given them when they were queued.
ALTER TABLE agent_runs ADD COLUMN has_memories INTEGER NOT NULL DEFAULT 1 CHECK (has_memories IN (0, 1));
