-- Services that a workspace uses: model providers and ticket trackers.
CREATE TABLE integrations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('model_provider', 'error_tracker', 'monitoring', 'webhook', 'ticket_tracker')),
  provider TEXT NOT NULL,
  name TEXT NOT NULL,
  config TEXT NOT NULL CHECK (json_valid(config)),
  -- Sealed with the key of the installation.
  secret TEXT,
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  last_checked_at TEXT,
  -- Null when the last connection succeeded.
  last_error TEXT,
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX integrations_of_workspace ON integrations (workspace_id, id);

-- Which model does which task of a workspace.
CREATE TABLE model_routes (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  task TEXT NOT NULL CHECK (task IN ('code', 'review', 'plan', 'summarize', 'triage', 'assistant', 'embed', 'default')),
  integration_id TEXT NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  max_output_tokens INTEGER,
  temperature REAL,
  max_usd REAL,
  -- JSON: what is tried next, as [{integration, model}].
  fallback TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(fallback)),
  PRIMARY KEY (workspace_id, task)
) STRICT, WITHOUT ROWID;

CREATE INDEX model_routes_of_integration ON model_routes (integration_id);
