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

-- People and workspaces by name. An index for some kinds only is not taken for one kind, however the question is put.
CREATE INDEX actors_of_kind ON actors (username, kind);

-- Repositories in the orders in which they are listed, all that somebody sees and those of one workspace, and how many there are
-- (its last two columns say nothing, but without them each row would be read).
CREATE INDEX repos_by_push ON repos (coalesce(pushed_at, ''), id) WHERE parent_id IS NULL AND deleted_at IS NULL;
CREATE INDEX repos_by_update ON repos (updated_at, id) WHERE parent_id IS NULL AND deleted_at IS NULL;
CREATE INDEX repos_of_workspace_by_push ON repos (workspace_id, coalesce(pushed_at, ''), id) WHERE parent_id IS NULL AND deleted_at IS NULL;
CREATE INDEX repos_seen ON repos (private, workspace_id, parent_id, deleted_at) WHERE parent_id IS NULL AND deleted_at IS NULL;

-- What waits for somebody, among much that does not.
CREATE INDEX notifications_by_reason ON notifications (user_id, done, reason, updated_at, id);

-- Those that merge themselves, in the order in which they are looked at.
CREATE INDEX pulls_merging_in_turn ON pulls (id) WHERE active = 1 AND auto_merge = 1;
