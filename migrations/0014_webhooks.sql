-- Addresses that are told what happens, of a repository or of a whole workspace. A repository's has no reference to it: those
-- of a purged one stay until their last deliveries are done.
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  repo_id TEXT,
  workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  -- Types of events as a JSON array; an empty one means all.
  events TEXT NOT NULL CHECK (json_valid(events)),
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  -- Encrypted under the installation key.
  secret TEXT NOT NULL,
  -- How the newest delivery that was tried stands, and which that is.
  light TEXT NOT NULL CHECK (light IN ('none', 'green', 'amber', 'red')),
  light_delivery TEXT,
  -- Deliveries that failed for good since the last one that arrived, and when the first of them did.
  failed_in_row INTEGER NOT NULL DEFAULT 0,
  failing_since TEXT,
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  -- Taken away; the rows go in parts.
  removed_at TEXT,
  CHECK ((repo_id IS NULL) <> (workspace_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_of_repo ON webhooks (repo_id, id) WHERE repo_id IS NOT NULL;
CREATE INDEX webhooks_of_workspace ON webhooks (workspace_id, id) WHERE workspace_id IS NOT NULL;

-- What is sent, once for all webhooks that get it, as the very text that is signed.
CREATE TABLE webhook_payloads (
  event_id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  kept_until TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_payloads_by_end ON webhook_payloads (kept_until);

CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  hook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  -- Of webhook_payloads, which are swept by their age and so need no check of the reference.
  event_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('sent', 'delivered', 'waiting', 'failed', 'cancelled')),
  attempt INTEGER NOT NULL CHECK (attempt BETWEEN 1 AND 6),
  redelivery_of TEXT,
  -- When to try next, in milliseconds since 1970; null when nothing is left to do.
  due_at INTEGER,
  -- The last try: where to, with which signature, and what came of it.
  tried_at TEXT,
  url TEXT,
  signature TEXT,
  status INTEGER,
  headers TEXT CHECK (json_valid(headers)),
  body TEXT,
  error TEXT CHECK (error IN ('timeout', 'dns', 'refused', 'tls', 'blocked_address', 'redirect')),
  duration_ms INTEGER,
  created_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;
CREATE INDEX webhook_deliveries_of_hook ON webhook_deliveries (hook_id, id);
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (hook_id, state, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (hook_id, due_at) WHERE due_at IS NOT NULL;
