-- Incoming webhooks: events of other services that open, update and close issues.
CREATE TABLE incoming_hooks (
  integration_id TEXT PRIMARY KEY REFERENCES integrations (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  -- Part of what the key in the address is derived from. A new one makes a new address.
  generation TEXT NOT NULL,
  -- Sealed: what the service signs with.
  secret TEXT,
  -- JSON: labels of the issues that it opens.
  labels TEXT NOT NULL CHECK (json_valid(labels)),
  -- The author of its issues. Its rights are those of owner_id now.
  actor_id TEXT NOT NULL REFERENCES actors (id),
  owner_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX incoming_hooks_of_repo ON incoming_hooks (repo_id);

CREATE TABLE incoming_deliveries (
  seq INTEGER PRIMARY KEY,
  integration_id TEXT NOT NULL REFERENCES incoming_hooks (integration_id) ON DELETE CASCADE,
  -- The id that the service gave to it. A repeated delivery has the same.
  sender_id TEXT,
  -- SHA-256 of its event and body; null for services whose events may have equal bodies.
  digest TEXT,
  event TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('done', 'ignored', 'refused', 'failed')),
  message TEXT,
  -- JSON: numbers of the issues that it changed.
  issues TEXT NOT NULL CHECK (json_valid(issues)),
  size INTEGER NOT NULL,
  received_at TEXT NOT NULL
) STRICT;

CREATE INDEX incoming_deliveries_of_hook ON incoming_deliveries (integration_id, seq);
CREATE INDEX incoming_deliveries_by_id ON incoming_deliveries (integration_id, sender_id)
  WHERE sender_id IS NOT NULL;
CREATE INDEX incoming_deliveries_by_digest ON incoming_deliveries (integration_id, digest)
  WHERE digest IS NOT NULL;

-- What each issue of an incoming webhook stands for.
CREATE TABLE incoming_subjects (
  integration_id TEXT NOT NULL REFERENCES incoming_hooks (integration_id) ON DELETE CASCADE,
  -- The alert, error or ticket at the service; empty for the issue that collects what is too much.
  fingerprint TEXT NOT NULL,
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  -- Whether it is open at the service.
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  -- SHA-256 of the title and text that were written last. An issue that people edited differs.
  written TEXT NOT NULL,
  -- Which occurrence was seen last, such as the time at which an alert began.
  occurrence TEXT,
  times INTEGER NOT NULL,
  -- Comments that the webhook wrote.
  comments INTEGER NOT NULL,
  last_at TEXT NOT NULL,
  PRIMARY KEY (integration_id, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE INDEX incoming_subjects_open ON incoming_subjects (integration_id) WHERE open = 1;
