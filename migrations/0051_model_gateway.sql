-- Whether programs outside of the forge may call the models of a workspace, and what they spend.
CREATE TABLE model_gateways (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  outside INTEGER NOT NULL DEFAULT 0 CHECK (outside IN (0, 1)),
  -- Null for no limit.
  max_usd_per_day REAL,
  -- The last day on which such programs spent something, and what, in millionths of a US dollar.
  day TEXT NOT NULL DEFAULT '',
  spent INTEGER NOT NULL DEFAULT 0,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Whether the model had a price when it was called. Without one, a cost of 0 says nothing.
ALTER TABLE model_calls ADD COLUMN priced INTEGER NOT NULL DEFAULT 1 CHECK (priced IN (0, 1));

-- Calls of models without a price.
ALTER TABLE model_days ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
