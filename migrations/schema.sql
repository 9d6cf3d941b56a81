CREATE TABLE actors (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('user', 'agent', 'workspace')),
  -- A person's username, a workspace's slug, or `<owner>/<agent>`.
  username TEXT NOT NULL CHECK (username <> ''),
  name TEXT,
  on_behalf_of TEXT REFERENCES actors (id),
  CHECK ((kind = 'agent') = (on_behalf_of IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX actors_by_username ON actors (username, kind) WHERE kind IN ('user', 'workspace');

CREATE INDEX actors_on_behalf_of ON actors (on_behalf_of) WHERE on_behalf_of IS NOT NULL;

CREATE TABLE agents (
  id TEXT PRIMARY KEY REFERENCES actors (id),
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  owner_id TEXT NOT NULL REFERENCES actors (id),
  pull_number INTEGER,
  role TEXT NOT NULL CHECK (role IN ('read', 'triage', 'write')),
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  model TEXT,
  -- In dollars: the most that it may report, and what it has reported in sessions.
  max_usd REAL CHECK (max_usd > 0),
  cost_usd REAL NOT NULL DEFAULT 0 CHECK (cost_usd >= 0),
  token_id TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  started_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  last_seen_at TEXT,
  -- Set once, when the token is taken away before its time. One that was let go because its work is done is finished, not stopped.
  ended_at TEXT,
  ended_as TEXT CHECK (ended_as IN ('stopped', 'finished')),
  ended_by TEXT REFERENCES actors (id),
  ended_reason TEXT,
  CHECK ((ended_at IS NULL) = (ended_as IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX agents_at_work ON agents (repo_id, pull_number) WHERE ended_at IS NULL;

CREATE INDEX agents_of_repo ON agents (repo_id, id);

CREATE TABLE assignees (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  actor_id TEXT NOT NULL REFERENCES actors (id),
  position INTEGER NOT NULL, -- in the order they were named
  kind TEXT NOT NULL,
  open INTEGER NOT NULL,
  PRIMARY KEY (repo_id, number, actor_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX assignees_by_actor ON assignees (actor_id, repo_id, kind, open, number);

CREATE TRIGGER audit_log_is_not_changed BEFORE UPDATE ON audit_log BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;

CREATE TRIGGER audit_log_keeps_young_entries BEFORE DELETE ON audit_log WHEN OLD.time > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-30 days')
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;

CREATE TABLE audit_log (
  id TEXT PRIMARY KEY,
  time TEXT NOT NULL,
  actor_id TEXT,
  on_behalf_of TEXT,
  token_id TEXT,
  ip TEXT,
  user_agent TEXT,
  action TEXT NOT NULL,
  target_kind TEXT NOT NULL,
  target_id TEXT NOT NULL,
  target_name TEXT NOT NULL,
  workspace_id TEXT,
  repo_id TEXT,
  data TEXT NOT NULL CHECK (json_valid(data)),
  request_id TEXT,
  prev TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_of_actor ON audit_log (actor_id, id);

CREATE INDEX audit_of_workspace ON audit_log (workspace_id, id);

CREATE TABLE authenticators (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  sealed_secret TEXT NOT NULL,
  created_at TEXT NOT NULL,
  confirmed_at TEXT,
  -- The step of the last code that was taken: none is taken twice.
  last_step INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE blockers (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  blocked_by INTEGER NOT NULL CHECK (blocked_by <> number),
  PRIMARY KEY (repo_id, number, blocked_by),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE,
  FOREIGN KEY (repo_id, blocked_by) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX blockers_back ON blockers (repo_id, blocked_by);

CREATE TABLE branch_pulls (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  branch TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (repo_id, branch)
) STRICT, WITHOUT ROWID;

CREATE TABLE branch_redirects (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  previous TEXT NOT NULL,
  branch TEXT NOT NULL,
  PRIMARY KEY (repo_id, previous)
) STRICT, WITHOUT ROWID;

CREATE TABLE collaborators (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('read', 'triage', 'write', 'maintain', 'admin')),
  added_by TEXT REFERENCES actors (id),
  added_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX collaborators_of_user ON collaborators (user_id, repo_id);

CREATE TRIGGER comments_count_gone AFTER DELETE ON comments BEGIN
  UPDATE records SET comments_count = comments_count - 1 WHERE repo_id = OLD.repo_id AND number = OLD.number;
END;

CREATE TRIGGER comments_count_new AFTER INSERT ON comments BEGIN
  UPDATE records SET comments_count = comments_count + 1 WHERE repo_id = NEW.repo_id AND number = NEW.number;
END;

CREATE TABLE comments (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  author_id TEXT NOT NULL REFERENCES actors (id),
  body TEXT NOT NULL CHECK (body <> ''),
  path TEXT,
  line INTEGER CHECK (line > 0),
  start_line INTEGER CHECK (start_line > 0 AND start_line <= line),
  side TEXT CHECK (side IN ('new', 'old')),
  commit_sha TEXT,
  outdated INTEGER NOT NULL DEFAULT 0 CHECK (outdated IN (0, 1)),
  in_reply_to TEXT REFERENCES comments (id), -- the first comment of the thread, never a reply
  resolved INTEGER NOT NULL DEFAULT 0 CHECK (resolved IN (0, 1)), -- of the thread, kept with its first comment
  resolved_by TEXT REFERENCES actors (id),
  review_id TEXT,
  applied_in TEXT, -- the commit that took its suggestion
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((path IS NULL) = (line IS NULL) AND (path IS NULL) = (side IS NULL)),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT;

CREATE INDEX comments_of_record ON comments (repo_id, number, id);

CREATE INDEX comments_of_review ON comments (review_id, id) WHERE review_id IS NOT NULL;

CREATE INDEX comments_of_thread ON comments (in_reply_to, id) WHERE in_reply_to IS NOT NULL;

CREATE INDEX comments_on_lines ON comments (repo_id, number, id) WHERE path IS NOT NULL;

CREATE TABLE commit_pulls (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  oid TEXT NOT NULL,
  number INTEGER NOT NULL,
  session INTEGER NOT NULL CHECK (session IN (0, 1)),
  PRIMARY KEY (repo_id, oid)
) STRICT, WITHOUT ROWID;

CREATE TABLE device_codes (
  device_hash TEXT PRIMARY KEY,
  user_code TEXT NOT NULL UNIQUE,
  client_name TEXT NOT NULL,
  -- What was asked for, then what was granted: a JSON array of scopes; null is full rights.
  scopes TEXT CHECK (json_valid(scopes)),
  ip TEXT,
  user_agent TEXT,
  state TEXT NOT NULL CHECK (state IN ('pending', 'approved', 'denied', 'returned')),
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  CHECK (state IN ('pending', 'denied') OR user_id IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX device_codes_by_end ON device_codes (expires_at);

CREATE INDEX device_codes_of_user ON device_codes (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE emails (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email TEXT NOT NULL CHECK (email = lower(email)),
  is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1)),
  is_backup INTEGER NOT NULL DEFAULT 0 CHECK (is_backup IN (0, 1)),
  created_at TEXT NOT NULL,
  verified_at TEXT,
  PRIMARY KEY (user_id, email)
) STRICT, WITHOUT ROWID;

CREATE INDEX emails_by_address ON emails (email);

CREATE UNIQUE INDEX emails_confirmed ON emails (email) WHERE verified_at IS NOT NULL;

CREATE UNIQUE INDEX emails_primary ON emails (user_id) WHERE is_primary = 1;

CREATE TABLE events (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  time TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  repo_id TEXT,
  actor_id TEXT,
  number INTEGER,
  data TEXT NOT NULL CHECK (json_valid(data))
) STRICT, WITHOUT ROWID;

CREATE INDEX events_of_number ON events (repo_id, number, id) WHERE number IS NOT NULL;

CREATE INDEX events_of_repo ON events (repo_id, id);

CREATE INDEX events_of_workspace ON events (workspace_id, id);

CREATE TABLE group_memberships (
  provider TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  -- Empty for the workspace itself.
  team_id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('member', 'owner')),
  PRIMARY KEY (provider, user_id, workspace_id, team_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX group_memberships_of_user ON group_memberships (user_id);

CREATE TABLE idempotency_keys (
  caller_id TEXT NOT NULL,
  key TEXT NOT NULL,
  operation TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  answer TEXT NOT NULL CHECK (json_valid(answer)),
  created_at TEXT NOT NULL,
  PRIMARY KEY (caller_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE TABLE identities (
  provider TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- How the person is called there, for the list in the settings.
  label TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  PRIMARY KEY (provider, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX identities_of_user ON identities (user_id);

CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('workspace', 'repository')),
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  -- Somebody is invited by account or by address; who answers an address becomes the invitee.
  invitee_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  email TEXT CHECK (email = lower(email)),
  role TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'declined', 'withdrawn')),
  -- The permission to make an account that goes with an invited address.
  invite_id TEXT REFERENCES invites (id) ON DELETE SET NULL,
  invited_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  answered_at TEXT,
  expires_at TEXT NOT NULL,
  CHECK ((kind = 'repository') = (repo_id IS NOT NULL)),
  CHECK (invitee_id IS NOT NULL OR email IS NOT NULL),
  CHECK (role IN ('member', 'owner') OR kind = 'repository'),
  CHECK (role IN ('read', 'triage', 'write', 'maintain', 'admin') OR kind = 'workspace')
) STRICT, WITHOUT ROWID;

CREATE INDEX invitations_of_repo ON invitations (repo_id, id) WHERE repo_id IS NOT NULL;

CREATE INDEX invitations_of_workspace ON invitations (workspace_id, kind, id);

CREATE INDEX invitations_to_address ON invitations (email) WHERE email IS NOT NULL;

CREATE INDEX invitations_to_person ON invitations (invitee_id) WHERE invitee_id IS NOT NULL;

CREATE TABLE invites (
  id TEXT PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  created_by TEXT NOT NULL REFERENCES actors (id) ON DELETE CASCADE,
  email TEXT,
  workspace_id TEXT REFERENCES actors (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('pending', 'used', 'revoked')),
  used_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  used_at TEXT,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX invites_of_maker ON invites (created_by, id);

CREATE TABLE issues (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  body TEXT NOT NULL,
  checks TEXT NOT NULL CHECK (json_valid(checks)),
  reason TEXT CHECK (reason IN ('completed', 'not_planned')),
  resolved_by INTEGER, -- the pull request whose merge closed it
  closed_at TEXT CHECK ((closed_at IS NULL) = (reason IS NULL)),
  closed_by TEXT REFERENCES actors (id), -- null as well when the service closed it by itself
  UNIQUE (repo_id, number),
  CHECK (resolved_by IS NULL OR reason = 'completed'),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT;

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT,
  input TEXT NOT NULL CHECK (json_valid(input)),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'failed')),
  attempt INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX jobs_by_key ON jobs (kind, key) WHERE state = 'waiting' AND key IS NOT NULL;

CREATE INDEX jobs_due ON jobs (run_at, id) WHERE state = 'waiting';

CREATE TABLE labels (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> '' AND instr(name, ',') = 0),
  key TEXT NOT NULL, -- the name in lower case, of any script
  color TEXT NOT NULL CHECK (length(color) = 6 AND color NOT GLOB '*[^0-9a-f]*'),
  description TEXT,
  issues_count INTEGER NOT NULL DEFAULT 0 CHECK (issues_count >= 0), -- open issues, kept by triggers
  created_at TEXT NOT NULL,
  UNIQUE (repo_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('member', 'owner')),
  invited_by TEXT REFERENCES actors (id),
  joined_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX members_of_user ON members (user_id, workspace_id);

CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT;

CREATE TABLE milestones (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  title TEXT NOT NULL CHECK (title <> ''),
  key TEXT NOT NULL, -- the title in lower case: two that differ only in case would be taken for one
  description TEXT,
  due_on TEXT,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
  created_at TEXT NOT NULL,
  closed_at TEXT CHECK ((closed_at IS NULL) = (state = 'open')),
  UNIQUE (repo_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX milestones_of_repo ON milestones (repo_id, state, id);

CREATE TABLE oauth_applications (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- SHA-256 of the client's id, which may be long.
  client_hash TEXT NOT NULL,
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  url TEXT,
  approved_at TEXT NOT NULL,
  UNIQUE (user_id, client_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE oauth_grants (
  code_hash TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES oauth_applications (id) ON DELETE CASCADE,
  redirect_uri TEXT NOT NULL,
  challenge TEXT NOT NULL,
  -- A JSON array of scopes; null is full rights.
  scopes TEXT CHECK (json_valid(scopes)),
  resource TEXT,
  created_at TEXT NOT NULL,
  -- Of the code.
  expires_at TEXT NOT NULL,
  used_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_grants_of_application ON oauth_grants (application_id);

CREATE TABLE oauth_refresh_tokens (
  secret_hash TEXT PRIMARY KEY,
  code_hash TEXT NOT NULL REFERENCES oauth_grants (code_hash) ON DELETE CASCADE,
  -- The access token that came with it. One that is revoked takes this row along; one that merely ended is unlinked first.
  token_id TEXT UNIQUE REFERENCES tokens (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  used_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_refresh_tokens_by_end ON oauth_refresh_tokens (expires_at);

CREATE INDEX oauth_refresh_tokens_of_grant ON oauth_refresh_tokens (code_hash);

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  -- A JSON array: how the browser reaches it.
  transports TEXT NOT NULL CHECK (json_valid(transports)),
  backed_up INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
  created_at TEXT NOT NULL,
  last_used_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_of_user ON passkeys (user_id, created_at);

CREATE TABLE pending_sign_ins (
  secret_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  method TEXT NOT NULL,
  -- Codes that may still be tried.
  tries_left INTEGER NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX pending_sign_ins_by_end ON pending_sign_ins (expires_at);

CREATE INDEX pending_sign_ins_of_user ON pending_sign_ins (user_id);

CREATE TABLE project_repos (
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, repo_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX project_repos_by_repo ON project_repos (repo_id);

CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (workspace_id, slug)
) STRICT, WITHOUT ROWID;

CREATE TABLE proofs (
  secret_hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('confirm', 'reset')),
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX proofs_by_end ON proofs (expires_at);

CREATE INDEX proofs_of_user ON proofs (user_id, kind, created_at);

CREATE TABLE pull_heads (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  pushed_at TEXT NOT NULL,
  PRIMARY KEY (pull_id, sha)
) STRICT, WITHOUT ROWID;

CREATE TABLE pull_stats (
  pull_id TEXT PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
  base_sha TEXT NOT NULL,
  head_sha TEXT NOT NULL,
  merge_base_sha TEXT,
  commits INTEGER NOT NULL,
  files INTEGER NOT NULL,
  additions INTEGER NOT NULL,
  deletions INTEGER NOT NULL,
  behind INTEGER NOT NULL,
  conflict_paths TEXT CHECK (json_valid(conflict_paths)), -- null when it merges without conflicts
  touched_paths TEXT NOT NULL CHECK (json_valid(touched_paths)),
  diff_id TEXT NOT NULL, -- the same for two heads that make the same change
  computed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE pull_touches (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL,
  path TEXT NOT NULL,
  ranges TEXT NOT NULL CHECK (json_valid(ranges)),
  PRIMARY KEY (pull_id, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX pull_touches_by_path ON pull_touches (repo_id, path, pull_id);

CREATE TABLE pulls (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  title TEXT NOT NULL CHECK (title <> ''),
  body TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'open', 'closed', 'merged')),
  active INTEGER NOT NULL GENERATED ALWAYS AS (status IN ('draft', 'open')) STORED,
  issue INTEGER, -- the issue it was made for
  branch TEXT, -- its head, when that is a branch of the repository itself
  fork_id TEXT REFERENCES repos (id) ON DELETE SET NULL, -- where its head is otherwise; null again once that is removed
  base_ref TEXT NOT NULL,
  base_sha TEXT NOT NULL, -- the tip of the base while the pull is active; afterwards what it was then
  head_ref TEXT, -- null until something was pushed to the fork
  head_sha TEXT,
  author_id TEXT NOT NULL REFERENCES actors (id),
  agent TEXT,
  revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
  auto_merge INTEGER NOT NULL DEFAULT 0 CHECK (auto_merge IN (0, 1)),
  closed_from TEXT CHECK (closed_from IN ('draft', 'open')), -- what reopening gives back
  closed_because TEXT CHECK (closed_because IN ('asked', 'branch_deleted', 'superseded')),
  closed_by TEXT REFERENCES actors (id),
  superseded_by INTEGER,
  merged_by TEXT REFERENCES actors (id),
  merge_commit_sha TEXT,
  merge_method TEXT CHECK (merge_method IN ('merge', 'squash', 'rebase')),
  session_entries INTEGER NOT NULL DEFAULT 0, -- also the last sequence number, because there are no gaps
  session_last_at TEXT,
  session_cost REAL,
  session_told_seq INTEGER NOT NULL DEFAULT 0, -- the last entry that an event told of
  session_told_at INTEGER NOT NULL DEFAULT 0, -- when, in milliseconds since 1970
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  ready_at TEXT,
  merged_at TEXT,
  closed_at TEXT,
  UNIQUE (repo_id, number),
  CHECK ((head_sha IS NULL) = (head_ref IS NULL)),
  CHECK (branch IS NULL OR fork_id IS NULL),
  CHECK ((status = 'merged') = (merged_at IS NOT NULL)),
  CHECK ((status IN ('draft', 'open')) = (closed_at IS NULL)),
  CHECK ((status = 'closed') = (closed_from IS NOT NULL)),
  CHECK (superseded_by IS NULL OR status = 'closed'),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT;

CREATE INDEX pulls_by_active ON pulls (repo_id, active, number);

CREATE INDEX pulls_by_author ON pulls (repo_id, author_id, number);

CREATE INDEX pulls_by_base ON pulls (repo_id, base_ref, number) WHERE active = 1;

CREATE INDEX pulls_by_branch ON pulls (repo_id, branch, number) WHERE branch IS NOT NULL;

CREATE INDEX pulls_by_fork ON pulls (fork_id) WHERE fork_id IS NOT NULL;

CREATE INDEX pulls_by_issue ON pulls (repo_id, issue, number) WHERE issue IS NOT NULL;

CREATE INDEX pulls_by_status ON pulls (repo_id, status, number);

CREATE TABLE reactions (
  comment_id TEXT NOT NULL REFERENCES comments (id) ON DELETE CASCADE,
  content TEXT NOT NULL CHECK (content IN ('+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes')),
  actor_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  PRIMARY KEY (comment_id, content, actor_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE record_counts (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  open INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count >= 0),
  PRIMARY KEY (repo_id, kind, open)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE record_fts USING fts5 (
  repo, title, body, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER record_labels_count_change AFTER UPDATE OF open ON record_labels
  WHEN NEW.kind = 'issue' AND OLD.open <> NEW.open BEGIN
  UPDATE labels SET issues_count = issues_count + (CASE NEW.open WHEN 1 THEN 1 ELSE -1 END) WHERE id = NEW.label_id;
END;

CREATE TRIGGER record_labels_count_gone AFTER DELETE ON record_labels WHEN OLD.kind = 'issue' AND OLD.open = 1 BEGIN
  UPDATE labels SET issues_count = issues_count - 1 WHERE id = OLD.label_id;
END;

CREATE TRIGGER record_labels_count_new AFTER INSERT ON record_labels WHEN NEW.kind = 'issue' AND NEW.open = 1 BEGIN
  UPDATE labels SET issues_count = issues_count + 1 WHERE id = NEW.label_id;
END;

CREATE TABLE record_labels (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  label_id TEXT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  open INTEGER NOT NULL,
  PRIMARY KEY (repo_id, number, label_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX record_labels_by_label ON record_labels (label_id, kind, open, number);

CREATE TABLE record_links (
  repo_id TEXT NOT NULL,
  pull_number INTEGER NOT NULL,
  issue_number INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'open', 'closed', 'merged')),
  agent TEXT,
  superseded_by INTEGER,
  merged_by TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, pull_number),
  FOREIGN KEY (repo_id, pull_number) REFERENCES records (repo_id, number) ON DELETE CASCADE,
  FOREIGN KEY (repo_id, issue_number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX record_links_of_issue ON record_links (repo_id, issue_number, pull_number);

CREATE TRIGGER records_count_change AFTER UPDATE OF open ON records WHEN OLD.open <> NEW.open BEGIN
  UPDATE record_counts SET count = count - 1 WHERE repo_id = OLD.repo_id AND kind = OLD.kind AND open = OLD.open;
  INSERT INTO record_counts (repo_id, kind, open, count) VALUES (NEW.repo_id, NEW.kind, NEW.open, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER records_count_new AFTER INSERT ON records BEGIN
  INSERT INTO record_counts (repo_id, kind, open, count) VALUES (NEW.repo_id, NEW.kind, NEW.open, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER records_open_change AFTER UPDATE OF open ON records WHEN OLD.open <> NEW.open BEGIN
  UPDATE record_labels SET open = NEW.open WHERE repo_id = NEW.repo_id AND number = NEW.number;
  UPDATE assignees SET open = NEW.open WHERE repo_id = NEW.repo_id AND number = NEW.number;
END;

CREATE TRIGGER records_removed AFTER DELETE ON records BEGIN
  UPDATE record_counts SET count = count - 1 WHERE repo_id = OLD.repo_id AND kind = OLD.kind AND open = OLD.open;
  DELETE FROM record_fts WHERE rowid = OLD.seq;
END;

CREATE TABLE records (
  seq INTEGER PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number > 0),
  kind TEXT NOT NULL CHECK (kind IN ('issue', 'pull')),
  open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1)),
  title TEXT NOT NULL CHECK (title <> ''),
  author_id TEXT NOT NULL REFERENCES actors (id),
  milestone_id TEXT REFERENCES milestones (id) ON DELETE SET NULL,
  comments_count INTEGER NOT NULL DEFAULT 0 CHECK (comments_count >= 0),
  locked INTEGER NOT NULL DEFAULT 0 CHECK (locked IN (0, 1)),
  lock_reason TEXT CHECK (lock_reason IS NULL OR (locked = 1 AND lock_reason IN ('off_topic', 'too_heated', 'resolved', 'spam'))),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (repo_id, number)
) STRICT;

CREATE INDEX records_by_author ON records (repo_id, author_id, kind, open, number);

CREATE INDEX records_by_comments ON records (repo_id, kind, open, comments_count, number);

CREATE INDEX records_by_milestone ON records (milestone_id, open, number) WHERE milestone_id IS NOT NULL;

CREATE INDEX records_by_number ON records (repo_id, kind, open, number);

CREATE INDEX records_by_update ON records (repo_id, kind, open, updated_at, number);

CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL,
  PRIMARY KEY (user_id, code_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE redirects (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL COLLATE NOCASE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX redirects_of_repo ON redirects (repo_id);

CREATE TABLE refs (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  oid TEXT NOT NULL CHECK (length(oid) IN (40, 64)),
  peeled TEXT CHECK (length(peeled) IN (40, 64)),
  moved_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE repos (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  name TEXT NOT NULL COLLATE NOCASE,
  parent_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  pull_number INTEGER CHECK (pull_number > 0),
  -- The object store, named by the id of the family's first repository.
  store TEXT NOT NULL,
  description TEXT,
  website TEXT,
  topics TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(topics)),
  private INTEGER NOT NULL CHECK (private IN (0, 1)),
  default_branch TEXT NOT NULL DEFAULT 'main',
  protected INTEGER NOT NULL DEFAULT 1 CHECK (protected IN (0, 1)),
  -- What differs from the defaults, so that a default can change for those who never chose.
  settings TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(settings)),
  -- Issues and pull requests share one row of numbers.
  next_number INTEGER NOT NULL DEFAULT 1,
  -- A new random word whenever a ref or HEAD changes. A counter would come back to the same number after a rollback, and
  -- what is kept in memory under it would then be of refs that never were.
  refs_generation TEXT NOT NULL,
  open_issues_count INTEGER NOT NULL DEFAULT 0,
  open_pulls_count INTEGER NOT NULL DEFAULT 0,
  language TEXT,
  license TEXT,
  size_in_bytes INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL REFERENCES actors (id),
  -- The person that an agent acted for when it made this.
  created_for TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  pushed_at TEXT,
  archived_at TEXT,
  deleted_at TEXT,
  deleted_by TEXT REFERENCES actors (id),
  purge_at TEXT, purged_at TEXT CHECK (purged_at IS NULL OR deleted_at IS NOT NULL),
  CHECK ((parent_id IS NULL) = (pull_number IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX repos_by_creator ON repos (created_by, id);

CREATE UNIQUE INDEX repos_by_name ON repos (workspace_id, name) WHERE parent_id IS NULL AND deleted_at IS NULL;

CREATE UNIQUE INDEX repos_by_pull ON repos (parent_id, pull_number) WHERE parent_id IS NOT NULL;

CREATE INDEX repos_by_purge ON repos (purge_at) WHERE purge_at IS NOT NULL AND purged_at IS NULL;

CREATE INDEX repos_deleted ON repos (workspace_id, name, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE INDEX repos_of_store ON repos (store);

CREATE INDEX repos_public ON repos (private, updated_at) WHERE parent_id IS NULL AND deleted_at IS NULL;

CREATE TABLE review_requests (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  -- The id of the actor or of the team.
  reviewer_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('user', 'agent', 'team')),
  -- The team that picked this person; null for whoever was asked by name.
  via_team TEXT REFERENCES teams (id) ON DELETE SET NULL,
  -- For a team: whether everyone in it is asked, because it picks nobody.
  whole INTEGER NOT NULL CHECK (whole IN (0, 1)),
  requested_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  PRIMARY KEY (pull_id, reviewer_id),
  CHECK (via_team IS NULL OR kind = 'user'),
  CHECK (whole = 0 OR kind = 'team')
) STRICT, WITHOUT ROWID;

CREATE INDEX review_requests_by_reviewer ON review_requests (reviewer_id, pull_id);

CREATE TABLE reviews (
  id TEXT PRIMARY KEY,
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  author_id TEXT NOT NULL REFERENCES actors (id),
  verdict TEXT NOT NULL CHECK (verdict IN ('approve', 'request_changes', 'comment')),
  body TEXT NOT NULL CHECK (body <> '' OR verdict = 'approve'),
  commit_sha TEXT NOT NULL,
  diff_id TEXT NOT NULL, -- the change that was looked at
  could_write INTEGER NOT NULL CHECK (could_write IN (0, 1)), -- of the token that wrote it; people are looked up anew
  outdated INTEGER NOT NULL DEFAULT 0 CHECK (outdated IN (0, 1)), -- given to a draft that became ready since
  dismissed_by TEXT REFERENCES actors (id),
  dismissed_at TEXT CHECK ((dismissed_at IS NULL) = (dismissed_by IS NULL)),
  dismissed_reason TEXT,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX reviews_of_pull ON reviews (pull_id, id);

CREATE VIEW role_grants (repo_id, user_id, rank, team_id, granted_at) AS
SELECT repo_id, user_id, instr('rtwma', substr(role, 1, 1)), NULL, added_at FROM collaborators
UNION ALL
SELECT r.repo_id, m.user_id, instr('rtwma', substr(r.role, 1, 1)), r.team_id, max(r.added_at, m.added_at)
FROM team_repos r JOIN team_lines l ON l.ancestor_id = r.team_id JOIN team_members m ON m.team_id = l.team_id;

CREATE TABLE session_entries (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq > 0),
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  tool TEXT,
  at TEXT NOT NULL,
  author_id TEXT REFERENCES actors (id), -- null for what the service wrote
  sha TEXT,
  data TEXT CHECK (json_valid(data)),
  truncated INTEGER NOT NULL CHECK (truncated IN (0, 1)),
  redacted INTEGER NOT NULL CHECK (redacted IN (0, 1)),
  PRIMARY KEY (pull_id, seq)
) STRICT;

CREATE TABLE setup_links (
  secret_hash TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sign_ins (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_agent TEXT,
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
, ip TEXT, method TEXT NOT NULL DEFAULT 'password') STRICT, WITHOUT ROWID;

CREATE INDEX sign_ins_by_end ON sign_ins (expires_at);

CREATE INDEX sign_ins_of_user ON sign_ins (user_id);

CREATE TABLE team_lines (
  team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  ancestor_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  distance INTEGER NOT NULL CHECK (distance BETWEEN 0 AND 5),
  PRIMARY KEY (team_id, ancestor_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX team_lines_down ON team_lines (ancestor_id, team_id);

CREATE TABLE team_members (
  team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('member', 'maintainer')),
  added_by TEXT REFERENCES actors (id),
  added_at TEXT NOT NULL,
  PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX team_members_of_user ON team_members (user_id, team_id);

CREATE TABLE team_repos (
  team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('read', 'triage', 'write', 'maintain', 'admin')),
  added_by TEXT REFERENCES actors (id),
  added_at TEXT NOT NULL,
  PRIMARY KEY (team_id, repo_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX team_repos_by_repo ON team_repos (repo_id, team_id);

CREATE TABLE team_turns (
  team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  turn INTEGER NOT NULL,
  PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE teams (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  description TEXT NOT NULL,
  visibility TEXT NOT NULL CHECK (visibility IN ('visible', 'secret')),
  parent_id TEXT REFERENCES teams (id) ON DELETE SET NULL,
  notify INTEGER NOT NULL CHECK (notify IN (0, 1)),
  -- What differs from the defaults; excluded people by id.
  review_assignment TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(review_assignment)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (workspace_id, slug),
  CHECK (visibility = 'visible' OR parent_id IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX teams_of_parent ON teams (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE token_repos (
  token_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (token_id, repo_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX token_repos_by_repo ON token_repos (repo_id);

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  actor_id TEXT NOT NULL REFERENCES actors (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('user', 'workspace', 'agent')),
  name TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('settings', 'api', 'device', 'oauth', 'agent', 'workflow')),
  -- A JSON array of scopes; null is full rights.
  scopes TEXT CHECK (json_valid(scopes)),
  -- Whether the token reaches only what is in token_repos.
  some_repos INTEGER NOT NULL CHECK (some_repos IN (0, 1)),
  workspace_id TEXT REFERENCES actors (id) ON DELETE CASCADE,
  role TEXT CHECK (role IN ('read', 'triage', 'write', 'maintain', 'admin')),
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  expires_at TEXT
, pull_number INTEGER CHECK (pull_number IS NULL OR kind = 'agent')) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_of_actor ON tokens (actor_id, id);

CREATE TABLE users (
  id TEXT PRIMARY KEY REFERENCES actors (id) ON DELETE CASCADE,
  -- `pbkdf2$sha256$<rounds>$<salt>$<hash>`; null until the person has set one.
  password_hash TEXT,
  bio TEXT,
  company TEXT,
  location TEXT,
  website TEXT,
  pronouns TEXT,
  time_zone TEXT,
  language TEXT,
  private_email INTEGER NOT NULL DEFAULT 1 CHECK (private_email IN (0, 1)),
  block_private_pushes INTEGER NOT NULL DEFAULT 0 CHECK (block_private_pushes IN (0, 1)),
  two_factor_enabled INTEGER NOT NULL DEFAULT 0 CHECK (two_factor_enabled IN (0, 1)),
  site_admin INTEGER NOT NULL DEFAULT 0 CHECK (site_admin IN (0, 1)),
  suspended_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, suspended_reason TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE workspace_redirects (
  slug TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE workspaces (
  id TEXT PRIMARY KEY REFERENCES actors (id) ON DELETE CASCADE,
  description TEXT NOT NULL DEFAULT '',
  base_permission TEXT NOT NULL DEFAULT 'write' CHECK (base_permission IN ('none', 'read', 'write', 'admin')),
  team_creation TEXT NOT NULL DEFAULT 'members' CHECK (team_creation IN ('members', 'owners')),
  members_can_create_public_repositories INTEGER NOT NULL DEFAULT 1 CHECK (members_can_create_public_repositories IN (0, 1)),
  members_can_create_private_repositories INTEGER NOT NULL DEFAULT 1 CHECK (members_can_create_private_repositories IN (0, 1)),
  members_can_change_repo_visibility INTEGER NOT NULL DEFAULT 1 CHECK (members_can_change_repo_visibility IN (0, 1)),
  members_can_delete_repositories INTEGER NOT NULL DEFAULT 0 CHECK (members_can_delete_repositories IN (0, 1)),
  members_can_invite_outside_collaborators INTEGER NOT NULL DEFAULT 1 CHECK (members_can_invite_outside_collaborators IN (0, 1)),
  two_factor_requirement_enabled INTEGER NOT NULL DEFAULT 0 CHECK (two_factor_requirement_enabled IN (0, 1)),
  -- Kept by a reaction to the events of repositories.
  repositories_count INTEGER NOT NULL DEFAULT 0 CHECK (repositories_count >= 0),
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
