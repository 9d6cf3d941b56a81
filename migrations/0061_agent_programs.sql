-- Programs of the operator that work on issues in place of the built-in loop, over the Agent Client
-- Protocol.
CREATE TABLE agent_programs (
  name TEXT PRIMARY KEY,
  -- How it is set up: one of the programs that are known, or other.
  kind TEXT NOT NULL,
  -- A line for /bin/sh inside the box.
  command TEXT NOT NULL,
  -- JSON: folders of this machine that it reads, and variables of its environment.
  folders TEXT NOT NULL,
  env TEXT NOT NULL,
  -- When it was tried out last, what it said of itself, and what was wrong.
  tested_at TEXT,
  version TEXT,
  fault TEXT,
  updated_by TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The program that does the work; null is the built-in loop.
ALTER TABLE agent_runs ADD COLUMN program TEXT;
-- The session that the program can load again.
ALTER TABLE agent_runs ADD COLUMN acp_session TEXT;
-- The turn that the program was sent last, and the head then.
ALTER TABLE agent_runs ADD COLUMN prompted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent_runs ADD COLUMN prompted_head TEXT;
