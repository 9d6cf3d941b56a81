-- What a large site asks for: each question below read a whole table without its index.

-- What a workspace takes, those of its repositories that are deleted too.
CREATE INDEX repos_of_workspace ON repos (workspace_id, size_in_bytes) WHERE parent_id IS NULL;

-- The entries of one action among all.
CREATE INDEX audit_by_action ON audit_log (action, id);

-- Read ones that nobody has looked at for a year.
CREATE INDEX notifications_read ON notifications (updated_at) WHERE unread = 0 AND done = 0;

-- Tokens whose time is over.
CREATE INDEX tokens_by_end ON tokens (expires_at) WHERE expires_at IS NOT NULL;

-- Jobs by kind and state, for pages and numbers that count them.
CREATE INDEX jobs_by_kind ON jobs (kind, state, id);
