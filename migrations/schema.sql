CREATE TRIGGER members_key_change AFTER UPDATE OF username ON actors WHEN NEW.kind = 'user' BEGIN
  UPDATE members SET username_key = NEW.username WHERE user_id = NEW.id;
END;

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

CREATE INDEX actors_of_kind ON actors (username, kind);

CREATE INDEX actors_on_behalf_of ON actors (on_behalf_of) WHERE on_behalf_of IS NOT NULL;

CREATE TABLE advisories (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  report_id TEXT UNIQUE REFERENCES vulnerability_reports (id) ON DELETE SET NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low')),
  cve TEXT,
  -- JSON: type, name, vulnerable and patched of each package.
  packages TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(packages)),
  -- JSON: usernames.
  credits TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(credits)),
  state TEXT NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'published', 'withdrawn')),
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  published_at TEXT
, cvss TEXT) STRICT;

CREATE INDEX advisories_of_repo ON advisories (repo_id, state, seq);

CREATE TABLE advisory_collaborators (
  advisory_id TEXT NOT NULL REFERENCES advisories (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  added_by TEXT REFERENCES actors (id),
  added_at TEXT NOT NULL,
  PRIMARY KEY (advisory_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX advisory_collaborators_of_user ON advisory_collaborators (user_id);

CREATE TABLE advisory_fork_refs (
  fork_id TEXT NOT NULL REFERENCES advisory_forks (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  oid TEXT NOT NULL,
  moved_at TEXT NOT NULL,
  PRIMARY KEY (fork_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE advisory_forks (
  id TEXT PRIMARY KEY,
  advisory_id TEXT NOT NULL UNIQUE REFERENCES advisories (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  store TEXT NOT NULL UNIQUE,
  -- The branch that follows the default branch of the repository.
  base_branch TEXT NOT NULL,
  -- Changes whenever a ref does.
  generation TEXT NOT NULL,
  size_in_bytes INTEGER NOT NULL DEFAULT 0,
  -- Why the base could not be copied.
  problem TEXT,
  -- What was merged last.
  merged_branch TEXT,
  merged_sha TEXT,
  merged_by TEXT REFERENCES actors (id),
  merged_at TEXT,
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  pushed_at TEXT,
  -- Set when the advisory is published: nothing is pushed any more.
  remove_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX advisory_forks_of_repo ON advisory_forks (repo_id);

CREATE INDEX advisory_forks_to_remove ON advisory_forks (remove_at) WHERE remove_at IS NOT NULL;

CREATE TABLE agent_activity (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  event_id TEXT NOT NULL,
  PRIMARY KEY (user_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_calls (
  agent_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  position INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  input TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('new', 'started', 'done')),
  result TEXT,
  PRIMARY KEY (agent_id, turn, position),
  FOREIGN KEY (agent_id, turn) REFERENCES agent_turns (agent_id, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_files (
  agent_id TEXT NOT NULL REFERENCES agent_runs (agent_id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  content BLOB,
  PRIMARY KEY (agent_id, path)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE agent_questions (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE, -- the one that is asked
  number INTEGER NOT NULL,
  seq INTEGER NOT NULL CHECK (seq > 0), -- its entry in that session
  from_id TEXT NOT NULL REFERENCES actors (id),
  from_pull INTEGER,
  text TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'answered', 'expired')),
  answer TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  answered_at TEXT,
  UNIQUE (pull_id, seq),
  CHECK ((state = 'answered') = (answered_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_questions_of_repo ON agent_questions (repo_id);

CREATE INDEX agent_questions_waiting ON agent_questions (expires_at) WHERE state = 'waiting';

CREATE TABLE agent_reviews (
  pull_id TEXT PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  -- The head that is to be reviewed, or was.
  head_sha TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'done', 'failed')),
  -- How many heads were taken up.
  taken INTEGER NOT NULL DEFAULT 1 CHECK (taken > 0),
  -- Why there is no review.
  reason TEXT,
  state_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_reviews_of_agent ON agent_reviews (agent_id);

CREATE TABLE agent_runs (
  agent_id TEXT PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  pull_id TEXT NOT NULL UNIQUE,
  issue INTEGER NOT NULL,
  task TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'working', 'waiting', 'resting', 'stopped', 'finished')),
  -- Calls of the model, and how often failed checks or a review sent it back to work.
  turns INTEGER NOT NULL DEFAULT 0,
  revisions INTEGER NOT NULL DEFAULT 0,
  -- How often it wanted to finish although its checks failed.
  refused INTEGER NOT NULL DEFAULT 0,
  -- Why it waits.
  reason TEXT,
  state_at TEXT NOT NULL
, program TEXT, acp_session TEXT, prompted INTEGER NOT NULL DEFAULT 0, prompted_head TEXT, has_memories INTEGER NOT NULL DEFAULT 1 CHECK (has_memories IN (0, 1))) STRICT, WITHOUT ROWID;

CREATE INDEX agent_runs_of_repo ON agent_runs (repo_id, state);

CREATE INDEX agent_runs_queued ON agent_runs (state_at) WHERE state = 'queued';

CREATE TABLE agent_task_costs (
  agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  task TEXT NOT NULL,
  -- Millionths of a US dollar.
  cost INTEGER NOT NULL CHECK (cost >= 0),
  PRIMARY KEY (agent_id, task)
) STRICT, WITHOUT ROWID;

CREATE TABLE agent_turns (
  agent_id TEXT NOT NULL REFERENCES agent_runs (agent_id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('user', 'model')),
  text TEXT NOT NULL,
  PRIMARY KEY (agent_id, seq)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE analyses (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  upload_id TEXT NOT NULL REFERENCES sarif_uploads (id) ON DELETE CASCADE,
  run_index INTEGER NOT NULL,
  tool TEXT NOT NULL,
  tool_version TEXT,
  category TEXT NOT NULL,
  commit_sha TEXT NOT NULL,
  -- The head of the pull request whose merge was analysed; otherwise the commit itself.
  head_sha TEXT NOT NULL,
  git_ref TEXT NOT NULL,
  pull INTEGER,
  results INTEGER NOT NULL,
  new_alerts INTEGER NOT NULL DEFAULT 0,
  fixed_alerts INTEGER NOT NULL DEFAULT 0,
  dropped INTEGER NOT NULL,
  -- 1 once all its results are stored.
  is_complete INTEGER NOT NULL DEFAULT 0 CHECK (is_complete IN (0, 1)),
  created_at TEXT NOT NULL,
  UNIQUE (upload_id, run_index)
) STRICT;

CREATE INDEX analyses_of_head ON analyses (repo_id, head_sha) WHERE pull IS NOT NULL;

CREATE INDEX analyses_of_ref ON analyses (repo_id, git_ref, tool, category, seq);

CREATE INDEX analyses_of_repo ON analyses (repo_id, seq);

CREATE TRIGGER artifacts_added AFTER INSERT ON artifacts WHEN NEW.sha256 IS NOT NULL BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT id, 'artifacts', workspace_id, 1, NEW.size_in_bytes FROM repos WHERE id = NEW.repo_id
    ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER artifacts_expired AFTER UPDATE OF sha256 ON artifacts
  WHEN OLD.sha256 IS NOT NULL AND NEW.sha256 IS NULL BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'artifacts';
END;

CREATE TRIGGER artifacts_removed AFTER DELETE ON artifacts WHEN OLD.sha256 IS NOT NULL BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'artifacts';
END;

CREATE TABLE artifacts (
  -- What jobs see as the id, which has to be a number.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  -- The key of the job in its attempt. When the job runs again, it replaces what it made.
  job_key TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  sha256 TEXT CHECK (length(sha256) = 64), -- the blob of this name holds its bytes; null when expired
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  UNIQUE (run_id, attempt, name)
) STRICT;

CREATE INDEX artifacts_by_blob ON artifacts (sha256) WHERE sha256 IS NOT NULL;

CREATE INDEX artifacts_by_end ON artifacts (expires_at) WHERE sha256 IS NOT NULL;

CREATE INDEX artifacts_by_size ON artifacts (repo_id, size_in_bytes) WHERE sha256 IS NOT NULL;

CREATE INDEX artifacts_of_repo ON artifacts (repo_id);

CREATE TABLE asked_people (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  what TEXT NOT NULL CHECK (what IN ('assigned', 'review_requested')),
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (repo_id, number, what, user_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

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

CREATE TABLE attachment_texts (
  attachment_id TEXT NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
  text_id TEXT NOT NULL, -- of an issue, comment, pull request, review, release or pending comment
  PRIMARY KEY (attachment_id, text_id)
) STRICT, WITHOUT ROWID;

CREATE VIEW attachment_uses (attachment_id, audience, author_id) AS
SELECT t.attachment_id, 'read', NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN comments c ON c.id = t.text_id AND c.repo_id = a.repo_id AND instr(c.body, a.id) > 0
UNION ALL
SELECT t.attachment_id, 'read', NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN issues i ON i.id = t.text_id AND i.repo_id = a.repo_id AND instr(i.body, a.id) > 0
UNION ALL
SELECT t.attachment_id, 'read', NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN pulls p ON p.id = t.text_id AND p.repo_id = a.repo_id AND instr(p.body, a.id) > 0
UNION ALL
SELECT t.attachment_id, 'read', NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN reviews r ON r.id = t.text_id AND instr(r.body, a.id) > 0
  CROSS JOIN pulls p ON p.id = r.pull_id AND p.repo_id = a.repo_id
UNION ALL
SELECT t.attachment_id, CASE WHEN r.published_at IS NULL THEN 'write' ELSE 'read' END, NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN releases r ON r.id = t.text_id AND r.repo_id = a.repo_id AND instr(r.body, a.id) > 0
UNION ALL
SELECT t.attachment_id, 'author', d.author_id FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id
  CROSS JOIN review_drafts d ON d.id = t.text_id AND instr(d.body, a.id) > 0
  CROSS JOIN pulls p ON p.id = d.pull_id AND p.repo_id = a.repo_id
UNION ALL
SELECT t.attachment_id, 'read', NULL FROM attachment_texts t
  CROSS JOIN attachments a ON a.id = t.attachment_id AND a.repo_id = t.text_id;

CREATE TRIGGER attachments_added AFTER INSERT ON attachments BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT id, 'attachments', workspace_id, 1, NEW.size_in_bytes FROM repos WHERE id = NEW.repo_id
    ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER attachments_removed AFTER DELETE ON attachments BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'attachments';
END;

CREATE TABLE attachments (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  content_type TEXT NOT NULL,
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64), -- the blob of this name holds its bytes
  uploader_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  unused_since TEXT -- null while a text names it; it is deleted some days after
) STRICT, WITHOUT ROWID;

CREATE INDEX attachments_by_blob ON attachments (sha256);

CREATE INDEX attachments_of_repo ON attachments (repo_id, id);

CREATE INDEX attachments_unused ON attachments (unused_since) WHERE unused_since IS NOT NULL;

CREATE INDEX attachments_unused_of_uploader ON attachments (uploader_id) WHERE unused_since IS NOT NULL;

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

CREATE INDEX audit_by_action ON audit_log (action, id);

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

CREATE TABLE auto_merges (
  pull_id TEXT PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
  asked_by TEXT REFERENCES actors (id),
  token_id TEXT,
  updates INTEGER NOT NULL DEFAULT 0 CHECK (updates >= 0), -- how often the base was merged in for it
  asked_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE backups (
  id TEXT PRIMARY KEY,
  -- Given by a person; one with a name is kept until a person takes it away.
  name TEXT,
  place TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
  scheduled INTEGER NOT NULL CHECK (scheduled IN (0, 1)),
  encrypted INTEGER NOT NULL CHECK (encrypted IN (0, 1)),
  -- How far it is: JSON with phase, files_done, files_total, bytes_done, bytes_total.
  progress TEXT CHECK (json_valid(progress)),
  files INTEGER,
  repositories INTEGER,
  bytes INTEGER,
  -- Bytes that were new in the place.
  added_bytes INTEGER,
  notes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(notes)),
  error TEXT,
  -- The last look at it.
  verification TEXT CHECK (verification IN ('queued', 'running', 'passed', 'failed')),
  -- Whether it was restored for that, or only held against its sums.
  verified_by TEXT CHECK (verified_by IN ('restoring', 'sums')),
  findings TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(findings)),
  verified_at TEXT,
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  CHECK ((finished_at IS NOT NULL) = (state IN ('done', 'failed'))),
  CHECK ((error IS NOT NULL) = (state = 'failed'))
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

CREATE TRIGGER caches_added AFTER INSERT ON caches BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT id, 'caches', workspace_id, 1, NEW.size_in_bytes FROM repos WHERE id = NEW.repo_id
    ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER caches_removed AFTER DELETE ON caches BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'caches';
END;

CREATE TABLE caches (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  -- The full name of the ref whose run wrote it.
  ref TEXT NOT NULL,
  key TEXT NOT NULL CHECK (key <> ''),
  -- Stands for the paths and the format, so that a restored cache fits.
  version TEXT NOT NULL,
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64), -- the blob of this name holds its bytes
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  UNIQUE (repo_id, ref, version, key)
) STRICT;

CREATE INDEX caches_by_age ON caches (last_used_at);

CREATE INDEX caches_by_blob ON caches (sha256);

CREATE INDEX caches_by_use ON caches (repo_id, last_used_at);

CREATE TABLE check_results (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES check_runs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  command TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'passed', 'failed', 'errored', 'skipped')),
  exit_code INTEGER,
  duration_ms INTEGER,
  started_at TEXT,
  finished_at TEXT,
  output_tail TEXT NOT NULL DEFAULT '',
  -- Of the log on disk; null when there is none (any more).
  log_bytes INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX check_results_of_run ON check_results (run_id, position);

CREATE INDEX check_results_with_log ON check_results (finished_at) WHERE log_bytes IS NOT NULL;

CREATE TABLE check_runs (
  id TEXT PRIMARY KEY,
  -- Not a reference: those of a purged repository go in parts.
  repo_id TEXT NOT NULL,
  -- The pull request.
  number INTEGER NOT NULL,
  issue INTEGER,
  -- Checks of a pull request count for its merging; those of the queue count for what the queue lands.
  purpose TEXT NOT NULL CHECK (purpose IN ('pull', 'queue')),
  head_sha TEXT NOT NULL,
  -- The base that the head is merged with; null when the commit to test was given.
  base_sha TEXT,
  -- The commit that is tested; null until it is made.
  merge_sha TEXT,
  -- `waiting` until somebody allows it; `replaced` when another run took its place or nobody needs it any more.
  state TEXT NOT NULL CHECK (state IN ('waiting', 'queued', 'running', 'done', 'replaced')),
  status TEXT NOT NULL CHECK (status IN ('pending', 'passed', 'failed', 'errored')),
  -- Why it waits, or why it could not be run, for people.
  note TEXT,
  -- For each command at most so long.
  timeout_ms INTEGER NOT NULL,
  -- Who answers for the change, and who allowed its commands to run where that was needed.
  principal_id TEXT NOT NULL,
  approved_by TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX check_runs_approved ON check_runs (repo_id, principal_id) WHERE approved_by IS NOT NULL;

CREATE INDEX check_runs_of_pull ON check_runs (repo_id, number, purpose, id);

CREATE TABLE code_alerts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  tool TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  -- Together with repository, tool and rule they identify the alert. Equal ones pair in order of line.
  path TEXT NOT NULL,
  line_hash TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low', 'warning', 'note')),
  -- 1 (critical) to 6 (note), for lists.
  severity_rank INTEGER NOT NULL,
  message TEXT NOT NULL,
  -- By the default branch; by all refs while it was never there. Dismissed wins.
  state TEXT NOT NULL CHECK (state IN ('open', 'dismissed', 'fixed')),
  -- 1 once the default branch had it.
  is_landed INTEGER NOT NULL DEFAULT 0 CHECK (is_landed IN (0, 1)),
  first_seen_at TEXT NOT NULL,
  fixed_at TEXT,
  dismissed_by TEXT REFERENCES actors (id),
  dismissed_at TEXT,
  dismissed_reason TEXT CHECK (dismissed_reason IN ('false_positive', 'wont_fix', 'used_in_tests')),
  dismissed_note TEXT,
  UNIQUE (repo_id, number)
) STRICT;

CREATE INDEX code_alerts_listed ON code_alerts (repo_id, is_landed, severity_rank, seq);

CREATE INDEX code_alerts_of_tool ON code_alerts (repo_id, tool, seq);

CREATE TABLE code_instances (
  alert_id TEXT NOT NULL REFERENCES code_alerts (id) ON DELETE CASCADE,
  ref TEXT NOT NULL,
  category TEXT NOT NULL,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  tool TEXT NOT NULL,
  analysis_seq INTEGER NOT NULL,
  tool_version TEXT,
  path TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  commit_sha TEXT NOT NULL,
  -- The id of the file, by which a change knows that its lines are the same.
  blob TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'fixed')),
  -- 1 where the pull request of the ref adds the line.
  is_new INTEGER NOT NULL DEFAULT 0 CHECK (is_new IN (0, 1)),
  PRIMARY KEY (alert_id, ref, category)
) STRICT, WITHOUT ROWID;

CREATE INDEX code_instances_of_ref ON code_instances (repo_id, ref, tool, category, state, analysis_seq);

CREATE TABLE code_rules (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  tool TEXT NOT NULL,
  rule_id TEXT NOT NULL,
  name TEXT,
  description TEXT,
  help TEXT,
  tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
  PRIMARY KEY (repo_id, tool, rule_id)
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

CREATE TRIGGER search_marks_removed_comment AFTER DELETE ON comments BEGIN
  INSERT INTO search_marks (kind, repo_id, number) VALUES ('record', OLD.repo_id, OLD.number) ON CONFLICT DO UPDATE SET version = version + 1;
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

CREATE TABLE commit_statuses (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  context TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'success', 'failure', 'error')),
  description TEXT,
  target_url TEXT,
  creator_id TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX commit_statuses_of_commit ON commit_statuses (repo_id, sha, context, id);

CREATE TABLE contribution_days (
  actor_id TEXT NOT NULL,
  repo_id TEXT NOT NULL,
  day TEXT NOT NULL, -- of UTC
  events INTEGER NOT NULL CHECK (events >= 0),
  PRIMARY KEY (actor_id, repo_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE contribution_types (
  type TEXT PRIMARY KEY -- of events; a review is a comment, too
) STRICT, WITHOUT ROWID;

CREATE TABLE cross_references (
  target_repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  -- The number of an issue or pull request, or the id of a commit.
  target TEXT NOT NULL,
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  text_id TEXT NOT NULL,
  actor_id TEXT REFERENCES actors (id) ON DELETE SET NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (target_repo_id, target, repo_id, number, text_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX cross_references_of_text ON cross_references (repo_id, number, text_id);

CREATE TABLE departed_workspaces (
  slug TEXT PRIMARY KEY,
  -- The workspace there, such as https://git.example.com/acme.
  address TEXT NOT NULL,
  departed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE dependency_alerts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  -- Together they identify the alert.
  ecosystem TEXT NOT NULL,
  package TEXT NOT NULL,
  advisory_id TEXT NOT NULL,
  manifest TEXT NOT NULL,
  version TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('runtime', 'development')),
  is_direct INTEGER CHECK (is_direct IN (0, 1)),
  -- As the advisory said when it was last compared.
  summary TEXT NOT NULL,
  severity TEXT CHECK (severity IN ('low', 'medium', 'high', 'critical')),
  -- 1 (critical) to 5 (unknown), for lists.
  severity_rank INTEGER NOT NULL,
  aliases TEXT NOT NULL CHECK (json_valid(aliases)),
  url TEXT,
  fixed_in TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'dismissed', 'fixed')),
  fixed_at TEXT,
  -- The commit without the package; null when the advisory was withdrawn.
  fixed_by TEXT,
  dismissed_by TEXT REFERENCES actors (id),
  dismissed_at TEXT,
  dismissed_reason TEXT CHECK (dismissed_reason IN ('false_positive', 'wont_fix', 'used_in_tests')),
  dismissed_note TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (repo_id, ecosystem, package, advisory_id, manifest)
) STRICT;

CREATE INDEX dependency_alerts_listed ON dependency_alerts (repo_id, severity_rank, seq);

CREATE TABLE dependency_reviews (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  head_sha TEXT NOT NULL,
  base_sha TEXT NOT NULL,
  -- JSON.
  changes TEXT NOT NULL CHECK (json_valid(changes)),
  -- Changes that are not stored.
  left_out INTEGER NOT NULL,
  -- Advisories of a high or critical severity that the pull request brings in.
  failing INTEGER NOT NULL, advisories TEXT NOT NULL
  DEFAULT '{"opens":[],"mends":[]}' CHECK (json_valid(advisories)),
  PRIMARY KEY (repo_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX dependency_reviews_of_head ON dependency_reviews (repo_id, head_sha);

CREATE TABLE dependency_scans (
  repo_id TEXT PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE,
  commit_sha TEXT NOT NULL,
  packages INTEGER NOT NULL,
  scanned_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deploy_keys (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
  algorithm TEXT NOT NULL,
  key TEXT NOT NULL, -- the blob in base64
  fingerprint TEXT NOT NULL UNIQUE, -- SHA256:…; no key of a person has the same
  created_by TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  last_used_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX deploy_keys_of_repo ON deploy_keys (repo_id, id);

CREATE TABLE deployment_reviews (
  deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES actors (id),
  verdict TEXT NOT NULL CHECK (verdict IN ('approve', 'reject')),
  comment TEXT,
  created_at TEXT NOT NULL,
  PRIMARY KEY (deployment_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE deployments (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  environment_id TEXT REFERENCES environments (id) ON DELETE SET NULL,
  environment TEXT NOT NULL COLLATE NOCASE,
  run_id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  job TEXT NOT NULL,
  ref TEXT NOT NULL,
  sha TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'queued', 'in_progress', 'success', 'failure', 'inactive', 'rejected')),
  -- 1 until its job has ended.
  is_open INTEGER NOT NULL DEFAULT 1 CHECK (is_open IN (0, 1)),
  -- Why it was rejected by something else than a review.
  reason TEXT,
  creator_id TEXT REFERENCES actors (id),
  url TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX deployments_by_environment_id ON deployments (environment_id) WHERE environment_id IS NOT NULL;

CREATE INDEX deployments_of_commit ON deployments (repo_id, sha, id);

CREATE INDEX deployments_of_environment ON deployments (repo_id, environment, id);

CREATE INDEX deployments_of_repo ON deployments (repo_id, id);

CREATE UNIQUE INDEX deployments_open ON deployments (job_id) WHERE is_open = 1;

CREATE INDEX deployments_waiting ON deployments (created_at) WHERE state = 'waiting';

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

CREATE TABLE environments (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL COLLATE NOCASE,
  -- JSON: ids of people and teams; one approval of any of them is enough.
  reviewers TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(reviewers)),
  wait_minutes INTEGER NOT NULL DEFAULT 0 CHECK (wait_minutes BETWEEN 0 AND 43200),
  -- JSON: patterns of branches; none means all.
  branches TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(branches)),
  prevent_self_review INTEGER NOT NULL DEFAULT 1 CHECK (prevent_self_review IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (repo_id, name)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER contribution_days_added AFTER INSERT ON events
  WHEN NEW.actor_id IS NOT NULL AND NEW.repo_id IS NOT NULL
    AND NEW.type IN (SELECT type FROM contribution_types) BEGIN
  INSERT INTO contribution_days (actor_id, repo_id, day, events)
    VALUES (NEW.actor_id, NEW.repo_id, substr(NEW.time, 1, 10), 1)
    ON CONFLICT DO UPDATE SET events = events + 1;
END;

CREATE TRIGGER contribution_days_given AFTER UPDATE OF actor_id ON events
  WHEN OLD.repo_id IS NOT NULL AND OLD.type IN (SELECT type FROM contribution_types) BEGIN
  UPDATE contribution_days SET events = events - 1
    WHERE actor_id = OLD.actor_id AND repo_id = OLD.repo_id AND day = substr(OLD.time, 1, 10);
  DELETE FROM contribution_days WHERE actor_id = OLD.actor_id AND repo_id = OLD.repo_id
    AND day = substr(OLD.time, 1, 10) AND events = 0;
  INSERT INTO contribution_days (actor_id, repo_id, day, events)
    SELECT NEW.actor_id, NEW.repo_id, substr(NEW.time, 1, 10), 1 WHERE NEW.actor_id IS NOT NULL
    ON CONFLICT DO UPDATE SET events = events + 1;
END;

CREATE TRIGGER contribution_days_removed AFTER DELETE ON events
  WHEN OLD.actor_id IS NOT NULL AND OLD.repo_id IS NOT NULL
    AND OLD.type IN (SELECT type FROM contribution_types) BEGIN
  UPDATE contribution_days SET events = events - 1
    WHERE actor_id = OLD.actor_id AND repo_id = OLD.repo_id AND day = substr(OLD.time, 1, 10);
  DELETE FROM contribution_days WHERE actor_id = OLD.actor_id AND repo_id = OLD.repo_id
    AND day = substr(OLD.time, 1, 10) AND events = 0;
END;

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

CREATE INDEX events_of_actor ON events (actor_id, time, type, repo_id) WHERE actor_id IS NOT NULL;

CREATE INDEX events_of_number ON events (repo_id, number, id) WHERE number IS NOT NULL;

CREATE INDEX events_of_repo ON events (repo_id, id);

CREATE INDEX events_of_workspace ON events (workspace_id, id);

CREATE TABLE feed_tokens (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  secret_hash TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE gem_indexes (
  package_id TEXT PRIMARY KEY REFERENCES packages (id) ON DELETE CASCADE,
  revision INTEGER NOT NULL, -- of the package, when the lines were made
  numbers TEXT NOT NULL -- a JSON array
) STRICT, WITHOUT ROWID;

CREATE TABLE gem_lines (
  id INTEGER PRIMARY KEY,
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  line TEXT NOT NULL
) STRICT;

CREATE INDEX gem_lines_by_package ON gem_lines (package_id, id);

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

CREATE TABLE head_pushers (
  pull_id TEXT PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
  head_sha TEXT NOT NULL,
  actor_id TEXT
) STRICT, WITHOUT ROWID;

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

CREATE TRIGGER image_blobs_added AFTER INSERT ON image_blobs BEGIN
  INSERT INTO workspace_package_files (workspace_id, sha256, size_in_bytes, holders)
    SELECT workspace_id, NEW.sha256, NEW.size_in_bytes, 1 FROM packages WHERE id = NEW.package_id
    ON CONFLICT DO UPDATE SET holders = holders + 1;
END;

CREATE TRIGGER image_blobs_removed AFTER DELETE ON image_blobs BEGIN
  UPDATE workspace_package_files SET holders = holders - 1 WHERE sha256 = OLD.sha256
    AND workspace_id = (SELECT workspace_id FROM packages WHERE id = OLD.package_id);
  DELETE FROM workspace_package_files WHERE holders = 0 AND sha256 = OLD.sha256
    AND workspace_id = (SELECT workspace_id FROM packages WHERE id = OLD.package_id);
END;

CREATE TABLE image_blobs (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  digest TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64), -- the blob of this name holds its bytes
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  linked_at TEXT NOT NULL,
  PRIMARY KEY (package_id, digest)
) STRICT, WITHOUT ROWID;

CREATE INDEX image_blobs_by_blob ON image_blobs (sha256);

CREATE INDEX image_blobs_by_digest ON image_blobs (digest);

CREATE INDEX image_blobs_by_time ON image_blobs (linked_at);

CREATE TABLE image_manifests (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  digest TEXT NOT NULL,
  media_type TEXT NOT NULL,
  bytes BLOB NOT NULL, -- as it was sent, 4 MiB at most
  subject TEXT,
  artifact_type TEXT,
  annotations TEXT, -- a JSON object
  size_in_bytes INTEGER NOT NULL, -- with the layers that it names
  pushed_at TEXT NOT NULL,
  PRIMARY KEY (package_id, digest)
) STRICT;

CREATE INDEX image_manifests_by_subject ON image_manifests (package_id, subject) WHERE subject IS NOT NULL;

CREATE TABLE image_refs (
  package_id TEXT NOT NULL,
  manifest TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (package_id, manifest, digest),
  FOREIGN KEY (package_id, manifest) REFERENCES image_manifests (package_id, digest) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX image_refs_by_digest ON image_refs (package_id, digest);

CREATE TABLE "import_items" (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('milestone', 'comment', 'review', 'file', 'event')),
  foreign_id TEXT NOT NULL,
  our_id TEXT NOT NULL,
  PRIMARY KEY (repo_id, kind, foreign_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE import_steps (
  import_id TEXT NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'done_with_errors')),
  -- Where the step goes on; null at its beginning.
  cursor TEXT,
  done INTEGER NOT NULL DEFAULT 0 CHECK (done >= 0),
  total INTEGER NOT NULL DEFAULT 0 CHECK (total >= 0),
  PRIMARY KEY (import_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE imported_people (
  -- Stands for the person here; nobody can sign in as it.
  actor_id TEXT PRIMARY KEY REFERENCES actors (id),
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  foreign_id TEXT NOT NULL,
  login TEXT NOT NULL,
  name TEXT,
  url TEXT,
  -- Whose account it is, once an administrator has said so.
  mapped_to TEXT REFERENCES actors (id),
  UNIQUE (repo_id, host, foreign_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE "imports" (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  source TEXT NOT NULL CHECK (source IN ('git', 'gitea_api', 'github_api', 'gitlab_api')),
  -- Without name and password.
  url TEXT NOT NULL,
  -- What the other side asks for, sealed; taken away when the import ends.
  secret TEXT,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'waiting_for_limit', 'done', 'done_with_errors', 'failed', 'cancelled')),
  phase TEXT NOT NULL CHECK (phase IN ('waiting', 'connecting', 'receiving', 'checking', 'refs', 'over')),
  -- Starts that ended in an error or with the process.
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  objects_done INTEGER NOT NULL DEFAULT 0 CHECK (objects_done >= 0),
  objects_total INTEGER NOT NULL DEFAULT 0 CHECK (objects_total >= 0),
  bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
  refs_done INTEGER NOT NULL DEFAULT 0 CHECK (refs_done >= 0),
  refs_total INTEGER NOT NULL DEFAULT 0 CHECK (refs_total >= 0),
  errors TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(errors)),
  -- When it goes on by itself: after an error that may pass, or when the other side wants to be left alone for a while.
  resume_at TEXT,
  created_by TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  -- JSON: what the other forge said about the repository when the import began; null before that, and for git.
  facts TEXT CHECK (facts IS NULL OR json_valid(facts)),
  -- Why the last attempt failed, until another one ends.
  problem TEXT,
  -- Whether the code is complete, so that the repository can be used while the rest arrives.
  code_complete INTEGER NOT NULL DEFAULT 0 CHECK (code_complete IN (0, 1)), lost_starts INTEGER NOT NULL DEFAULT 0 CHECK (lost_starts >= 0), furthest TEXT NOT NULL DEFAULT 'waiting',
  CHECK ((finished_at IS NOT NULL) = (state IN ('done', 'done_with_errors', 'failed', 'cancelled'))),
  CHECK (finished_at IS NULL OR secret IS NULL)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX imports_at_work ON imports (repo_id) WHERE finished_at IS NULL;

CREATE INDEX imports_by_person ON imports (created_by, id);

CREATE INDEX imports_of_repo ON imports (repo_id, id);

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

CREATE INDEX incoming_deliveries_by_digest ON incoming_deliveries (integration_id, digest)
  WHERE digest IS NOT NULL;

CREATE INDEX incoming_deliveries_by_id ON incoming_deliveries (integration_id, sender_id)
  WHERE sender_id IS NOT NULL;

CREATE INDEX incoming_deliveries_of_hook ON incoming_deliveries (integration_id, seq);

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
, sync_status INTEGER NOT NULL DEFAULT 0
  CHECK (sync_status IN (0, 1)), sync_comments INTEGER NOT NULL DEFAULT 0
  CHECK (sync_comments IN (0, 1))) STRICT, WITHOUT ROWID;

CREATE INDEX incoming_hooks_of_repo ON incoming_hooks (repo_id);

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

CREATE INDEX incoming_subjects_of_issue ON incoming_subjects (repo_id, number);

CREATE INDEX incoming_subjects_open ON incoming_subjects (integration_id) WHERE open = 1;

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
, offered_models TEXT, speed TEXT CHECK (json_valid(speed))) STRICT, WITHOUT ROWID;

CREATE INDEX integrations_of_workspace ON integrations (workspace_id, id);

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

CREATE TABLE issue_triages (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'done', 'failed')),
  -- How often the issue was read.
  taken INTEGER NOT NULL DEFAULT 1 CHECK (taken > 0),
  -- Whether its author had no Write when it was taken up.
  outside INTEGER NOT NULL CHECK (outside IN (0, 1)),
  -- Who appears to have added labels by themselves; acts for the author of the issue.
  actor_id TEXT REFERENCES actors (id),
  error_code TEXT,
  error_message TEXT,
  -- Millionths of a dollar, of all times.
  cost INTEGER,
  taken_at TEXT NOT NULL,
  ended_at TEXT,
  PRIMARY KEY (repo_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX issue_triages_by_time ON issue_triages (repo_id, taken_at);

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

CREATE INDEX jobs_by_kind ON jobs (kind, state, id);

CREATE INDEX jobs_due ON jobs (run_at, id) WHERE state = 'waiting';

CREATE INDEX jobs_due_of_kind ON jobs (kind, run_at, id) WHERE state = 'waiting';

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  usage TEXT NOT NULL CHECK (usage IN ('authentication_and_signing', 'authentication', 'signing')),
  read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
  algorithm TEXT NOT NULL,
  key TEXT NOT NULL, -- the blob in base64
  fingerprint TEXT NOT NULL UNIQUE, -- SHA256:…, so a key stands for one person
  created_at TEXT NOT NULL
, last_used_at TEXT) STRICT, WITHOUT ROWID;

CREATE INDEX keys_of_user ON keys (user_id, id);

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

CREATE TABLE lfs_locks (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE, -- never a fork
  path TEXT NOT NULL,
  owner_id TEXT NOT NULL REFERENCES actors (id),
  locked_at TEXT NOT NULL,
  UNIQUE (repo_id, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX lfs_locks_of_repo ON lfs_locks (repo_id, id);

CREATE TRIGGER lfs_objects_added AFTER INSERT ON lfs_objects BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT id, 'lfs', workspace_id, 1, NEW.size_in_bytes FROM repos WHERE id = NEW.repo_id
    ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER lfs_objects_removed AFTER DELETE ON lfs_objects BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'lfs';
END;

CREATE TABLE lfs_objects (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE, -- never a fork
  oid TEXT NOT NULL CHECK (length(oid) = 64 AND oid NOT GLOB '*[^0-9a-f]*'), -- the SHA-256
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  uploader_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  unused_since TEXT, -- when no pointer was found that names it; it is deleted some weeks after
  PRIMARY KEY (repo_id, oid)
) STRICT, WITHOUT ROWID;

CREATE INDEX lfs_objects_by_blob ON lfs_objects (oid);

CREATE TRIGGER members_key_new AFTER INSERT ON members BEGIN
  UPDATE members SET username_key = (SELECT username FROM actors WHERE id = NEW.user_id)
    WHERE workspace_id = NEW.workspace_id AND user_id = NEW.user_id;
END;

CREATE TABLE members (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('member', 'owner')),
  invited_by TEXT REFERENCES actors (id),
  joined_at TEXT NOT NULL, username_key TEXT,
  PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX members_by_username ON members (workspace_id, username_key, user_id);

CREATE INDEX members_of_user ON members (user_id, workspace_id);

CREATE TABLE memories (
  id TEXT PRIMARY KEY,
  workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('fact', 'convention', 'decision', 'gotcha')),
  text TEXT NOT NULL,
  -- The text in lower case with single spaces: equal texts are one memory.
  folded TEXT NOT NULL,
  pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
  -- JSON: the files that it is about, each with the object that the default branch had there.
  paths TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(paths)),
  author_id TEXT NOT NULL REFERENCES actors (id),
  -- The pull request that the agent worked on.
  pull_number INTEGER,
  -- 1 when no agent gets it before a person has read it.
  needs_review INTEGER NOT NULL DEFAULT 0 CHECK (needs_review IN (0, 1)),
  reviewed_at TEXT,
  uses INTEGER NOT NULL DEFAULT 0,
  last_used_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((workspace_id IS NULL) <> (repo_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX memories_by_author ON memories (author_id, created_at);

CREATE UNIQUE INDEX memories_of_repo ON memories (repo_id, folded) WHERE repo_id IS NOT NULL;

CREATE UNIQUE INDEX memories_of_workspace ON memories (workspace_id, folded) WHERE workspace_id IS NOT NULL;

CREATE TABLE memory_vectors (
  memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  folded TEXT NOT NULL,
  vector BLOB NOT NULL
) STRICT, WITHOUT ROWID;

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

CREATE TABLE mirror_kept_refs (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  oid TEXT NOT NULL,
  name TEXT NOT NULL,
  -- Of the link, which may be gone.
  mirror_id TEXT NOT NULL,
  -- service or remote: on which side the ref was there.
  side TEXT NOT NULL CHECK (side IN ('service', 'remote')),
  kept_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, oid, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX mirror_kept_refs_by_age ON mirror_kept_refs (kept_at);

CREATE INDEX mirror_kept_refs_of_repo ON mirror_kept_refs (repo_id, kept_at);

CREATE TABLE mirror_refs (
  mirror_id TEXT NOT NULL REFERENCES mirrors (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- Where the ref was on the remote when it was last fetched: refs/remote/<id>/*.
  remote_oid TEXT,
  -- What the service pushed there last.
  pushed_oid TEXT,
  -- Where the ref was when the takeover began: refs/takeover/<id>/*.
  taken_over_oid TEXT,
  PRIMARY KEY (mirror_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE mirror_waiting (
  mirror_id TEXT NOT NULL REFERENCES mirrors (id) ON DELETE CASCADE,
  event_id TEXT NOT NULL,
  ref TEXT NOT NULL,
  sha TEXT NOT NULL,
  fetched_at TEXT NOT NULL,
  PRIMARY KEY (mirror_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE mirrors (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  provider TEXT NOT NULL,
  -- leader: the remote leads. follower: the service leads, and the remote is pushed to.
  role TEXT NOT NULL CHECK (role IN ('leader', 'follower')),
  name TEXT NOT NULL,
  -- Without name and password.
  url TEXT NOT NULL,
  -- Name and token for the remote, sealed; null for public access.
  secret TEXT,
  state TEXT NOT NULL CHECK (state IN ('setting_up', 'standing_by', 'ci_failover', 'takeover', 'handing_back', 'following', 'diverged', 'paused', 'failed')),
  state_since TEXT NOT NULL,
  -- Null when the service changed the state.
  state_by TEXT REFERENCES actors (id),
  -- The state before a pause.
  paused_from TEXT,
  -- Grows with each change of the state or the address. A job that began before one changes nothing.
  epoch INTEGER NOT NULL DEFAULT 1,
  reachable INTEGER NOT NULL DEFAULT 1 CHECK (reachable IN (0, 1)),
  reachable_since TEXT,
  unreachable_since TEXT,
  -- The first failure of the probes that fail in a row.
  first_failed_at TEXT,
  probes_failed INTEGER NOT NULL DEFAULT 0,
  probes_passed INTEGER NOT NULL DEFAULT 0,
  setup_failures INTEGER NOT NULL DEFAULT 0,
  -- When the next probe and the next sync are due, in milliseconds.
  probe_at INTEGER NOT NULL,
  sync_at INTEGER NOT NULL,
  synced_at TEXT,
  last_error TEXT,
  checks_problem TEXT,
  -- Refs that cannot be taken over as they are, in words.
  left_out TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(left_out)),
  -- How the conflicts of the hand-back that is under way are resolved: ref to ours or theirs.
  resolve TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(resolve)),
  notify TEXT NOT NULL DEFAULT 'admins' CHECK (notify IN ('none', 'admins', 'members')),
  -- Minutes; null: never by itself.
  take_over_after INTEGER CHECK (take_over_after BETWEEN 5 AND 10080),
  hand_back TEXT NOT NULL DEFAULT 'manual' CHECK (hand_back IN ('manual', 'automatic')),
  keep_ci_warm INTEGER NOT NULL DEFAULT 0 CHECK (keep_ci_warm IN (0, 1)),
  ext_workflows INTEGER NOT NULL DEFAULT 0 CHECK (ext_workflows IN (0, 1)),
  hold_deploys INTEGER NOT NULL DEFAULT 1 CHECK (hold_deploys IN (0, 1)),
  report_checks INTEGER NOT NULL DEFAULT 1 CHECK (report_checks IN (0, 1)),
  remote_pushes TEXT NOT NULL DEFAULT 'hold' CHECK (remote_pushes IN ('hold', 'fast_forward', 'refuse')),
  created_by TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL
, ssh_key TEXT, ssh_public_key TEXT, host_key TEXT, checks_silent INTEGER NOT NULL DEFAULT 0 CHECK (checks_silent IN (0, 1)), checks_seen_at TEXT) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX mirrors_leading ON mirrors (repo_id) WHERE role = 'leader';

CREATE INDEX mirrors_of_repo ON mirrors (repo_id, id);

CREATE INDEX mirrors_to_probe ON mirrors (probe_at);

CREATE TABLE model_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  -- Null for calls that belong to no pull request.
  pull_id TEXT,
  -- Who the call was for: an agent, a person or the workspace.
  actor_id TEXT NOT NULL,
  task TEXT NOT NULL,
  integration_id TEXT NOT NULL,
  model TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  -- The provider reported no usage, so tokens were estimated from the text.
  estimated INTEGER NOT NULL CHECK (estimated IN (0, 1)),
  status INTEGER NOT NULL,
  ms INTEGER NOT NULL,
  at TEXT NOT NULL
, priced INTEGER NOT NULL DEFAULT 1 CHECK (priced IN (0, 1))) STRICT;

CREATE INDEX model_calls_by_time ON model_calls (at);

CREATE INDEX model_calls_of_workspace_by_time ON model_calls (workspace_id, at);

CREATE TABLE model_days (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  task TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost INTEGER NOT NULL, unpriced INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, day, task, model)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE notification_settings (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  -- A JSON array of reasons that send no mail.
  silent TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(silent)),
  digest TEXT NOT NULL DEFAULT 'off' CHECK (digest IN ('off', 'hourly', 'daily')),
  digest_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX notification_settings_with_digest ON notification_settings (digest_at) WHERE digest <> 'off';

CREATE TABLE notification_work (
  seq INTEGER PRIMARY KEY,
  -- JSON: which events, of what, and what was known when they happened.
  data TEXT NOT NULL CHECK (json_valid(data)),
  -- JSON once worked out: whom to tell, why, and what of. Those up to `told` have been told.
  plan TEXT CHECK (json_valid(plan)),
  told TEXT NOT NULL DEFAULT '',
  -- How often it went wrong; what goes wrong too often is left for a person to see.
  tries INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE notifications (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Null for what is about no repository.
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  -- One for each subject and person: what it is, where, and which.
  subject TEXT NOT NULL,
  kind TEXT NOT NULL,
  number INTEGER,
  subject_id TEXT,
  -- Set where the subject has no title of its own that can be looked up.
  title TEXT,
  url TEXT,
  reason TEXT NOT NULL,
  unread INTEGER NOT NULL CHECK (unread IN (0, 1)),
  done INTEGER NOT NULL CHECK (done IN (0, 1)),
  last_event TEXT,
  updated_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (user_id, subject),
  CHECK (done = 0 OR unread = 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX notifications_by_reason ON notifications (user_id, done, reason, updated_at, id);

CREATE INDEX notifications_done ON notifications (updated_at) WHERE done = 1;

CREATE INDEX notifications_inbox ON notifications (user_id, done, updated_at, id);

CREATE INDEX notifications_of_repo ON notifications (repo_id) WHERE repo_id IS NOT NULL;

CREATE INDEX notifications_read ON notifications (updated_at) WHERE unread = 0 AND done = 0;

CREATE INDEX notifications_to_settle ON notifications (subject) WHERE kind IN ('question', 'invitation');

CREATE INDEX notifications_unread ON notifications (user_id, repo_id) WHERE unread = 1;

CREATE INDEX notifications_unread_inbox ON notifications (user_id, updated_at, id) WHERE unread = 1;

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

CREATE TABLE osv_advisories (
  seq INTEGER PRIMARY KEY,
  import_seq INTEGER NOT NULL REFERENCES osv_imports (seq) ON DELETE CASCADE,
  id TEXT NOT NULL,
  modified TEXT NOT NULL,
  withdrawn_at TEXT,
  summary TEXT NOT NULL,
  severity TEXT CHECK (severity IN ('low', 'medium', 'high', 'critical')),
  -- JSON.
  aliases TEXT NOT NULL CHECK (json_valid(aliases)),
  url TEXT,
  UNIQUE (id, import_seq)
) STRICT;

CREATE INDEX osv_advisories_of_import ON osv_advisories (import_seq);

CREATE TABLE osv_affected (
  ecosystem TEXT NOT NULL,
  name TEXT NOT NULL,
  advisory_seq INTEGER NOT NULL REFERENCES osv_advisories (seq) ON DELETE CASCADE,
  -- An advisory may name a package several times.
  place INTEGER NOT NULL,
  -- JSON: ranges and versions.
  affected TEXT NOT NULL CHECK (json_valid(affected)),
  PRIMARY KEY (ecosystem, name, advisory_seq, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX osv_affected_of_advisory ON osv_affected (advisory_seq);

CREATE TABLE osv_imports (
  seq INTEGER PRIMARY KEY,
  -- A hash of what was given, by which an import that was cut off goes on.
  source TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'complete')),
  -- How many files were read.
  position INTEGER NOT NULL DEFAULT 0,
  advisories INTEGER NOT NULL DEFAULT 0,
  started_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;

CREATE TABLE package_bygone (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  normal_name TEXT NOT NULL,
  normal_version TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (workspace_id, type, normal_name, normal_version)
) STRICT, WITHOUT ROWID;

CREATE TABLE package_downloads (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  day TEXT NOT NULL CHECK (length(day) = 10),
  count INTEGER NOT NULL,
  PRIMARY KEY (package_id, day)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER package_files_added AFTER INSERT ON package_files BEGIN
  INSERT INTO workspace_package_files (workspace_id, sha256, size_in_bytes, holders)
    SELECT workspace_id, NEW.sha256, NEW.size_in_bytes, 1 FROM packages WHERE id = NEW.package_id
    ON CONFLICT DO UPDATE SET holders = holders + 1;
END;

CREATE TRIGGER package_files_removed AFTER DELETE ON package_files BEGIN
  UPDATE workspace_package_files SET holders = holders - 1 WHERE sha256 = OLD.sha256
    AND workspace_id = (SELECT workspace_id FROM packages WHERE id = OLD.package_id);
  DELETE FROM workspace_package_files WHERE holders = 0 AND sha256 = OLD.sha256
    AND workspace_id = (SELECT workspace_id FROM packages WHERE id = OLD.package_id);
END;

CREATE TABLE package_files (
  version_id TEXT NOT NULL REFERENCES package_versions (id) ON DELETE CASCADE,
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  path TEXT NOT NULL CHECK (path <> ''), -- what clients ask for; unique in the package
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64), -- the blob of this name holds its bytes
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  sha1 TEXT,
  md5 TEXT,
  sha512 TEXT,
  content_type TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (package_id, path)
) STRICT;

CREATE INDEX package_files_by_blob ON package_files (sha256, package_id);

CREATE INDEX package_files_by_version ON package_files (version_id, path);

CREATE TABLE package_retention (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  package_id TEXT REFERENCES packages (id) ON DELETE CASCADE,
  keep_newest INTEGER NOT NULL CHECK (keep_newest >= 1),
  keep_matching TEXT,
  older_than_days INTEGER NOT NULL CHECK (older_than_days >= 0),
  untagged_only INTEGER NOT NULL CHECK (untagged_only IN (0, 1)),
  updated_by TEXT NOT NULL REFERENCES actors (id),
  updated_at TEXT NOT NULL
, snapshots_kept INTEGER NOT NULL DEFAULT 20
  CHECK (snapshots_kept >= 1)) STRICT;

CREATE INDEX package_retention_by_package ON package_retention (package_id);

CREATE UNIQUE INDEX package_retention_of ON package_retention (workspace_id, coalesce(package_id, ''));

CREATE TABLE package_roles (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  actor_id TEXT NOT NULL REFERENCES actors (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (package_id, actor_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX package_roles_by_actor ON package_roles (actor_id);

CREATE TABLE package_tags (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  version_id TEXT NOT NULL REFERENCES package_versions (id) ON DELETE CASCADE,
  PRIMARY KEY (package_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX package_tags_by_version ON package_tags (version_id);

CREATE TABLE package_team_roles (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (package_id, team_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX package_team_roles_by_team ON package_team_roles (team_id);

CREATE TABLE package_upstreams (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  url TEXT NOT NULL, -- without a slash at its end
  username TEXT,
  secret TEXT, -- sealed
  reserved TEXT NOT NULL, -- a JSON list of what names that are never asked for upstream begin with
  min_age_days INTEGER NOT NULL CHECK (min_age_days >= 0),
  keep_days INTEGER NOT NULL CHECK (keep_days >= 1),
  max_bytes INTEGER NOT NULL CHECK (max_bytes >= 0),
  last_error TEXT, -- of the last request; null when it was answered
  failed_at TEXT,
  created_by TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, cached_bytes INTEGER NOT NULL DEFAULT 0,
  UNIQUE (workspace_id, type)
) STRICT;

CREATE TABLE package_versions (
  id TEXT PRIMARY KEY,
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  version TEXT NOT NULL CHECK (version <> ''),
  normal_version TEXT NOT NULL CHECK (normal_version <> ''),
  prerelease INTEGER NOT NULL CHECK (prerelease IN (0, 1)),
  digest TEXT NOT NULL CHECK (digest <> ''),
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  metadata TEXT NOT NULL, -- a JSON object, as published
  piece TEXT NOT NULL DEFAULT '', -- its part of the index, rendered once
  yanked INTEGER NOT NULL DEFAULT 0 CHECK (yanked IN (0, 1)),
  deprecated TEXT, -- what clients tell the person; null when it is not deprecated
  published_by TEXT NOT NULL REFERENCES actors (id),
  run_id TEXT,
  sha TEXT,
  download_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  deleted_at TEXT,
  deleted_by TEXT REFERENCES actors (id),
  purge_at TEXT,
  -- Deleted because its package was, and restored with it.
  deleted_with_package INTEGER NOT NULL DEFAULT 0 CHECK (deleted_with_package IN (0, 1)),
  CHECK ((deleted_at IS NULL) = (purge_at IS NULL)),
  UNIQUE (package_id, normal_version)
) STRICT;

CREATE INDEX package_versions_by_purge ON package_versions (purge_at) WHERE purge_at IS NOT NULL;

CREATE INDEX package_versions_by_time ON package_versions (package_id, created_at, id);

CREATE TRIGGER packages_removed BEFORE DELETE ON packages BEGIN
  DELETE FROM package_files WHERE package_id = OLD.id;
  DELETE FROM image_blobs WHERE package_id = OLD.id;
END;

CREATE TABLE packages (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  type TEXT NOT NULL CHECK (type <> ''),
  name TEXT NOT NULL CHECK (name <> ''),
  -- What makes two names one in the ecosystem. A deleted package holds its name.
  normal_name TEXT NOT NULL CHECK (normal_name <> ''),
  private INTEGER NOT NULL CHECK (private IN (0, 1)),
  -- Whether people get the roles that they have in the linked repository.
  inherit_access INTEGER NOT NULL DEFAULT 1 CHECK (inherit_access IN (0, 1)),
  repo_id TEXT REFERENCES repos (id) ON DELETE SET NULL,
  description TEXT,
  readme_sha256 TEXT CHECK (length(readme_sha256) = 64), -- the blob of this name holds the README
  latest_version_id TEXT,
  -- Of the versions that are not deleted.
  version_count INTEGER NOT NULL DEFAULT 0,
  size_in_bytes INTEGER NOT NULL DEFAULT 0,
  download_count INTEGER NOT NULL DEFAULT 0,
  -- Goes up with every change that a document of a client shows.
  revision INTEGER NOT NULL DEFAULT 1,
  modified_s INTEGER NOT NULL DEFAULT 0, -- for Last-Modified: two changes in one second differ
  created_by TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT,
  deleted_by TEXT REFERENCES actors (id),
  purge_at TEXT,
  CHECK ((deleted_at IS NULL) = (purge_at IS NULL)),
  UNIQUE (workspace_id, type, normal_name)
) STRICT;

CREATE INDEX packages_by_plain_name ON packages (
  workspace_id, type, replace(replace(replace(lower(normal_name), '-', ''), '_', ''), '.', '')
);

CREATE INDEX packages_by_purge ON packages (purge_at) WHERE purge_at IS NOT NULL;

CREATE INDEX packages_by_readme ON packages (readme_sha256) WHERE readme_sha256 IS NOT NULL;

CREATE INDEX packages_by_repo ON packages (repo_id) WHERE repo_id IS NOT NULL;

CREATE INDEX packages_by_time ON packages (workspace_id, updated_at, id);

CREATE INDEX packages_private ON packages (workspace_id, type) WHERE private = 1;

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

CREATE TABLE plan_starts (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  plan_id TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE,
  -- Whose rights start it, and with which token.
  asked_by TEXT NOT NULL REFERENCES actors (id),
  token_id TEXT,
  PRIMARY KEY (repo_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX plan_starts_of_plan ON plan_starts (plan_id);

CREATE TABLE plans (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  brief TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('planning', 'ready', 'failed', 'applied')),
  summary TEXT,
  -- JSON: the issues in their order; after apply with their numbers.
  issues TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(issues)),
  -- JSON: what could not be decided.
  questions TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(questions)),
  error_code TEXT,
  error_message TEXT,
  -- Millionths of a dollar.
  cost INTEGER,
  -- 1 when a model wrote it.
  by_model INTEGER NOT NULL DEFAULT 0 CHECK (by_model IN (0, 1)),
  created_by TEXT NOT NULL REFERENCES actors (id),
  applied_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  ready_at TEXT,
  applied_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX plans_by_status ON plans (repo_id, status, id);

CREATE INDEX plans_of_repo ON plans (repo_id, id);

CREATE VIEW private_store_refs (store, name, oid) AS
SELECT f.store, x.name, x.oid FROM advisory_forks f JOIN advisory_fork_refs x ON x.fork_id = f.id;

CREATE VIEW private_stores (store, repo_id, workspace_id, size_in_bytes, used_at, purged_at) AS
SELECT f.store, f.repo_id, r.workspace_id, f.size_in_bytes, coalesce(f.pushed_at, f.created_at), r.purged_at
FROM advisory_forks f JOIN repos r ON r.id = f.repo_id;

CREATE TABLE project_cards (
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  column_key TEXT NOT NULL, -- the kind of the column, and its label; elsewhere the row has no meaning
  position INTEGER NOT NULL CHECK (position >= 0),
  PRIMARY KEY (project_id, repo_id, number),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX project_cards_in_order ON project_cards (project_id, column_key, position);

CREATE INDEX project_cards_of_record ON project_cards (repo_id, number);

CREATE TABLE project_columns (
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  name TEXT NOT NULL CHECK (name <> ''),
  kind TEXT NOT NULL CHECK (kind IN ('open', 'label', 'closed')),
  label TEXT, -- the name of a label, in every repository of the project
  PRIMARY KEY (project_id, position),
  CHECK ((kind = 'label') = (label IS NOT NULL))
) STRICT, WITHOUT ROWID;

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

CREATE TABLE pull_folders (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL,
  path TEXT NOT NULL, -- ends in a slash
  PRIMARY KEY (pull_id, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX pull_folders_of_repo ON pull_folders (repo_id, pull_id);

CREATE TABLE pull_heads (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  pushed_at TEXT NOT NULL,
  PRIMARY KEY (pull_id, sha)
) STRICT, WITHOUT ROWID;

CREATE TABLE pull_owners (
  pull_id TEXT PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
  base_sha TEXT NOT NULL,
  head_sha TEXT NOT NULL,
  owners TEXT NOT NULL CHECK (json_valid(owners)) -- [{ owners: [name], paths: [path], count }]
) STRICT, WITHOUT ROWID;

CREATE TABLE pull_pushers (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  principal_id TEXT NOT NULL REFERENCES actors (id),
  PRIMARY KEY (pull_id, principal_id)
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
, instruction_paths TEXT NOT NULL DEFAULT '[]'
  CHECK (json_valid(instruction_paths))) STRICT, WITHOUT ROWID;

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
  closed_at TEXT, agent_revisions INTEGER NOT NULL DEFAULT 0,
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

CREATE INDEX pulls_merging_in_turn ON pulls (id) WHERE active = 1 AND auto_merge = 1;

CREATE INDEX pulls_merging_themselves ON pulls (repo_id) WHERE active = 1 AND auto_merge = 1;

CREATE INDEX pulls_under_way ON pulls (author_id) WHERE active = 1;

CREATE TABLE push_certificates (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  nonce TEXT NOT NULL,
  pusher_id TEXT NOT NULL REFERENCES actors (id),
  signer_id TEXT REFERENCES actors (id) ON DELETE SET NULL,
  kind TEXT NOT NULL CHECK (kind IN ('ssh', 'gpg')),
  reason TEXT NOT NULL,
  fingerprint TEXT CHECK ((fingerprint IS NULL) = (kind = 'gpg')),
  signed TEXT NOT NULL,
  signature TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX push_certificates_by_nonce ON push_certificates (nonce);

CREATE INDEX push_certificates_of_repo ON push_certificates (repo_id, id);

CREATE TABLE queue_entries (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  number INTEGER NOT NULL, -- of the pull request
  base_ref TEXT NOT NULL,
  place INTEGER, -- the order of landing; null once it has left or landed
  state TEXT NOT NULL CHECK (state IN ('queued', 'testing', 'passed', 'landing', 'landed', 'failed', 'removed')),
  attempt INTEGER NOT NULL DEFAULT 1 CHECK (attempt > 0),
  method TEXT NOT NULL CHECK (method IN ('merge', 'squash', 'rebase')),
  message TEXT, -- of the commit, when one was given
  keep_issue_open INTEGER NOT NULL CHECK (keep_issue_open IN (0, 1)),
  commands TEXT NOT NULL CHECK (json_valid(commands)), -- what must pass, as it was when it came in
  head_sha TEXT NOT NULL, -- the head that was asked to be merged
  base_sha TEXT, -- what its candidate was built on, or found to conflict with
  rests_on TEXT, -- the entry that base_sha is the candidate of; null for the base itself
  candidate_sha TEXT,
  candidate_tree TEXT,
  run_id TEXT, -- the checks of its latest candidate
  -- What is wrong with its candidate. It stands as soon as everything ahead has passed; until then an entry ahead may be the cause.
  verdict TEXT CHECK (verdict IN ('checks_failed', 'timed_out', 'conflicts', 'internal')),
  look INTEGER NOT NULL DEFAULT 0 CHECK (look IN (0, 1)), -- something happened after which it may not be mergeable any more
  reason TEXT, -- why it left
  note TEXT, -- the same, or what it waits for, in words
  queued_by TEXT NOT NULL REFERENCES actors (id),
  token_id TEXT, -- the token that asked, which must still be there when it lands
  queued_at TEXT NOT NULL,
  started_at TEXT, -- when the latest candidate began to be tested
  passed_at TEXT,
  settled_at TEXT,
  CHECK ((place IS NULL) = (state IN ('landed', 'failed', 'removed'))),
  CHECK ((settled_at IS NULL) = (place IS NOT NULL)),
  CHECK ((candidate_sha IS NULL) = (candidate_tree IS NULL)),
  CHECK (state NOT IN ('testing', 'passed', 'landing', 'landed') OR (candidate_sha IS NOT NULL AND base_sha IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX queue_entries_by_run ON queue_entries (run_id) WHERE run_id IS NOT NULL AND place IS NOT NULL;

CREATE INDEX queue_entries_ending ON queue_entries (pull_id);

CREATE UNIQUE INDEX queue_entries_of_pull ON queue_entries (repo_id, number) WHERE place IS NOT NULL;

CREATE INDEX queue_entries_of_repo ON queue_entries (repo_id);

CREATE INDEX queue_entries_settled ON queue_entries (repo_id, base_ref, settled_at) WHERE place IS NULL;

CREATE INDEX queue_entries_waiting ON queue_entries (repo_id, base_ref, place) WHERE place IS NOT NULL;

CREATE TABLE queue_pauses (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  base_ref TEXT NOT NULL,
  paused_by TEXT NOT NULL REFERENCES actors (id),
  paused_at TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (reason <> ''),
  PRIMARY KEY (repo_id, base_ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE quotas (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  repos_bytes INTEGER,
  lfs_bytes INTEGER,
  packages_bytes INTEGER,
  artifacts_bytes INTEGER,
  repositories INTEGER,
  members INTEGER,
  run_minutes INTEGER,
  updated_at TEXT NOT NULL
, actions_bytes INTEGER) STRICT, WITHOUT ROWID;

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

CREATE TABLE record_reactions (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  content TEXT NOT NULL CHECK (content IN ('+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes')),
  actor_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, number, content, actor_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE record_subscriptions (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  subscribed INTEGER NOT NULL CHECK (subscribed IN (0, 1)),
  because TEXT NOT NULL CHECK (because IN ('author', 'assigned', 'review_requested', 'mention', 'team_mention', 'commented', 'subscribed')),
  created_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, number, user_id),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

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
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, lock_reason TEXT CHECK (lock_reason IS NULL OR locked = 1),
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

CREATE INDEX branches_by_move ON refs (repo_id, moved_at DESC, name)
  WHERE name >= 'refs/heads/' AND name < 'refs/heads0';

CREATE INDEX tags_by_move ON refs (repo_id, moved_at DESC, name)
  WHERE name >= 'refs/tags/' AND name < 'refs/tags0';

CREATE TRIGGER release_assets_added AFTER INSERT ON release_assets BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT p.id, 'release_assets', p.workspace_id, 1, NEW.size_in_bytes
    FROM releases r JOIN repos p ON p.id = r.repo_id WHERE r.id = NEW.release_id
    ON CONFLICT DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER release_assets_removed AFTER DELETE ON release_assets BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.size_in_bytes
    WHERE repo_id = (SELECT repo_id FROM releases WHERE id = OLD.release_id)
    AND kind = 'release_assets';
END;

CREATE TABLE release_assets (
  id TEXT PRIMARY KEY,
  release_id TEXT NOT NULL REFERENCES releases (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name <> ''),
  label TEXT,
  content_type TEXT NOT NULL,
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64), -- the blob of this name holds its bytes
  download_count INTEGER NOT NULL DEFAULT 0,
  uploader_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  UNIQUE (release_id, name)
) STRICT;

CREATE INDEX release_assets_by_blob ON release_assets (sha256);

CREATE TRIGGER releases_removed BEFORE DELETE ON releases BEGIN
  DELETE FROM release_assets WHERE release_id = OLD.id;
END;

CREATE TABLE releases (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  tag_name TEXT NOT NULL CHECK (tag_name <> ''),
  -- Where its tag is made when it is published and there is none: as it was asked for, and the commit that this was then.
  target_name TEXT NOT NULL,
  target TEXT NOT NULL CHECK (length(target) IN (40, 64)),
  name TEXT NOT NULL CHECK (name <> ''),
  body TEXT NOT NULL,
  notes_generated INTEGER NOT NULL CHECK (notes_generated IN (0, 1)),
  prerelease INTEGER NOT NULL CHECK (prerelease IN (0, 1)),
  -- Whether somebody said that it is the latest, or is not; null leaves it to its version.
  latest_choice INTEGER CHECK (latest_choice IN (0, 1)),
  -- The answer: one published release of a repository at most.
  latest INTEGER NOT NULL DEFAULT 0 CHECK (latest IN (0, 1)),
  author_id TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  published_at TEXT, -- null is a draft
  listed_at TEXT NOT NULL GENERATED ALWAYS AS (coalesce(published_at, created_at)) STORED,
  UNIQUE (repo_id, tag_name),
  CHECK (latest = 0 OR (published_at IS NOT NULL AND prerelease = 0))
) STRICT;

CREATE INDEX releases_by_time ON releases (repo_id, listed_at, id);

CREATE UNIQUE INDEX releases_latest ON releases (repo_id) WHERE latest = 1;

CREATE TABLE repo_questions (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  asked_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  question TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('answering', 'answered', 'failed')),
  -- Markdown; each citation is a link.
  answer TEXT,
  -- JSON: what the answer rests on.
  citations TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(citations)),
  -- Citations of things that do not exist or that the person may not see.
  dropped INTEGER NOT NULL DEFAULT 0,
  -- JSON: what was searched and read.
  steps TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(steps)),
  error_code TEXT,
  error_message TEXT,
  -- Millionths of a dollar.
  cost INTEGER,
  created_at TEXT NOT NULL,
  answered_at TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX repo_questions_by_age ON repo_questions (created_at);

CREATE INDEX repo_questions_of_person ON repo_questions (asked_by, repo_id, id);

CREATE INDEX repo_questions_of_repo ON repo_questions (repo_id);

CREATE TABLE repo_storage (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  kind TEXT NOT NULL
    CHECK (kind IN ('lfs', 'release_assets', 'attachments', 'artifacts', 'caches', 'logs')),
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE, -- that of the repository
  files INTEGER NOT NULL CHECK (files >= 0),
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (repo_id, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX repo_storage_of_workspace ON repo_storage (workspace_id, kind, files, bytes);

CREATE TABLE repo_subscriptions (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  level TEXT NOT NULL CHECK (level IN ('participating', 'all', 'releases', 'ignored')),
  created_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER repo_storage_transferred AFTER UPDATE OF workspace_id ON repos BEGIN
  UPDATE repo_storage SET workspace_id = NEW.workspace_id WHERE repo_id = NEW.id;
END;

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

CREATE INDEX repos_by_push ON repos (coalesce(pushed_at, ''), id) WHERE parent_id IS NULL AND deleted_at IS NULL;

CREATE INDEX repos_by_update ON repos (updated_at, id) WHERE parent_id IS NULL AND deleted_at IS NULL;

CREATE INDEX repos_deleted ON repos (workspace_id, name, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE INDEX repos_explored ON repos (coalesce(pushed_at, created_at), id, private, workspace_id, parent_id, deleted_at)
  WHERE parent_id IS NULL AND deleted_at IS NULL;

CREATE INDEX repos_of_store ON repos (store);

CREATE INDEX repos_of_workspace ON repos (workspace_id, size_in_bytes) WHERE parent_id IS NULL;

CREATE INDEX repos_of_workspace_by_push ON repos (workspace_id, coalesce(pushed_at, ''), id) WHERE parent_id IS NULL AND deleted_at IS NULL;

CREATE INDEX repos_public ON repos (private, updated_at) WHERE parent_id IS NULL AND deleted_at IS NULL;

CREATE INDEX repos_seen ON repos (private, workspace_id, parent_id, deleted_at) WHERE parent_id IS NULL AND deleted_at IS NULL;

CREATE INDEX repos_with_language ON repos (language, private, workspace_id, parent_id, deleted_at)
  WHERE language IS NOT NULL AND parent_id IS NULL AND deleted_at IS NULL;

CREATE INDEX repos_with_topics ON repos (private, workspace_id, topics, parent_id, deleted_at)
  WHERE topics <> '[]' AND parent_id IS NULL AND deleted_at IS NULL;

CREATE TABLE review_drafts (
  id TEXT PRIMARY KEY,
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  author_id TEXT NOT NULL REFERENCES actors (id),
  path TEXT NOT NULL,
  line INTEGER NOT NULL CHECK (line > 0),
  start_line INTEGER CHECK (start_line > 0),
  side TEXT NOT NULL CHECK (side IN ('new', 'old')),
  commit_sha TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body <> ''),
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX review_drafts_of ON review_drafts (pull_id, author_id, id);

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

CREATE TABLE "reviews" (
  id TEXT PRIMARY KEY,
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  author_id TEXT NOT NULL REFERENCES actors (id),
  verdict TEXT NOT NULL CHECK (verdict IN ('approve', 'request_changes', 'comment')),
  body TEXT NOT NULL CHECK (body <> '' OR verdict <> 'request_changes'),
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

CREATE TABLE rule_evaluations (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  ruleset_id TEXT NOT NULL,
  ruleset_name TEXT NOT NULL,
  rule TEXT NOT NULL,
  ref TEXT NOT NULL,
  sha TEXT,
  pull_number INTEGER,
  actor_id TEXT REFERENCES actors (id),
  result TEXT NOT NULL CHECK (result IN ('pass', 'fail', 'bypass')),
  enforced INTEGER NOT NULL CHECK (enforced IN (0, 1)),
  message TEXT,
  time TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX rule_evaluations_by_time ON rule_evaluations (time);

CREATE INDEX rule_evaluations_of_repo ON rule_evaluations (repo_id, id);

CREATE INDEX rule_evaluations_of_ruleset ON rule_evaluations (repo_id, ruleset_id, id);

CREATE TABLE rule_findings (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  base_sha TEXT NOT NULL,
  head_sha TEXT NOT NULL,
  finding TEXT,
  PRIMARY KEY (pull_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE rulesets (
  id TEXT PRIMARY KEY,
  workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  enforcement TEXT NOT NULL CHECK (enforcement IN ('active', 'evaluate', 'disabled')),
  target TEXT NOT NULL CHECK (target IN ('branch', 'tag', 'push')),
  conditions TEXT NOT NULL CHECK (json_valid(conditions)),
  bypass_actors TEXT NOT NULL CHECK (json_valid(bypass_actors)),
  rules TEXT NOT NULL CHECK (json_valid(rules)),
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_by TEXT REFERENCES actors (id),
  updated_at TEXT NOT NULL,
  CHECK ((workspace_id IS NULL) <> (repo_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX rulesets_of_repo ON rulesets (repo_id, lower(name)) WHERE repo_id IS NOT NULL;

CREATE UNIQUE INDEX rulesets_of_workspace ON rulesets (workspace_id, lower(name)) WHERE workspace_id IS NOT NULL;

CREATE TABLE run_time (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  month TEXT NOT NULL, -- its first day
  ms INTEGER NOT NULL CHECK (ms >= 0),
  PRIMARY KEY (workspace_id, month)
) STRICT, WITHOUT ROWID;

CREATE TABLE runner_tasks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id TEXT NOT NULL REFERENCES workflow_jobs (id) ON DELETE CASCADE,
  runner_id TEXT NOT NULL,
  -- Rows of the log that are stored, and whether the runner said that there are no more.
  rows INTEGER NOT NULL,
  complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
  -- JSON: where the number of a row and that of its first line part: [row, line] pairs.
  places TEXT NOT NULL CHECK (json_valid(places)),
  outputs TEXT NOT NULL CHECK (json_valid(outputs)),
  annotations TEXT NOT NULL CHECK (json_valid(annotations)),
  -- A result that came before the end of the log.
  result TEXT,
  -- Whether its log is packed and nothing more is taken.
  closed INTEGER NOT NULL CHECK (closed IN (0, 1)),
  reported_at TEXT NOT NULL
, masks TEXT, heard INTEGER NOT NULL DEFAULT 1 CHECK (heard IN (0, 1)), request_key TEXT) STRICT;

CREATE INDEX runner_tasks_of_job ON runner_tasks (job_id, id);

CREATE INDEX runner_tasks_open ON runner_tasks (runner_id, id) WHERE closed = 0;

CREATE INDEX runner_tasks_unheard ON runner_tasks (runner_id) WHERE heard = 0;

CREATE TABLE runners (
  id TEXT PRIMARY KEY,
  -- Both null: the runner serves the whole site.
  workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- JSON arrays, in lower case. Allowed ones limit what the runner declares; none means no limit.
  allowed_labels TEXT NOT NULL CHECK (json_valid(allowed_labels)),
  labels TEXT NOT NULL CHECK (json_valid(labels)),
  ephemeral INTEGER NOT NULL CHECK (ephemeral IN (0, 1)),
  accepts_untrusted INTEGER NOT NULL CHECK (accepts_untrusted IN (0, 1)),
  -- Until it registers: the SHA-256 of its registration token.
  registration_hash TEXT UNIQUE,
  registration_expires_at TEXT,
  -- From then on: its name in the protocol, and the SHA-256 of its token.
  uuid TEXT UNIQUE,
  token_hash TEXT,
  version TEXT NOT NULL,
  last_seen_at TEXT,
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  CHECK (repo_id IS NULL OR workspace_id IS NULL),
  CHECK ((uuid IS NULL) = (token_hash IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX runners_of_repo ON runners (repo_id, id) WHERE repo_id IS NOT NULL;

CREATE INDEX runners_of_workspace ON runners (workspace_id, id) WHERE workspace_id IS NOT NULL;

CREATE TABLE sarif_uploads (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'complete', 'failed')),
  commit_sha TEXT NOT NULL,
  git_ref TEXT NOT NULL,
  pull INTEGER,
  category TEXT,
  tool_name TEXT,
  -- Null once the file has expired.
  sha256 TEXT,
  -- JSON: what could not be read.
  errors TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(errors)),
  created_by TEXT REFERENCES actors (id),
  -- Whether a person or a job of a workflow uploaded it. Agents do not vouch for their own work.
  is_vouched INTEGER NOT NULL CHECK (is_vouched IN (0, 1)),
  created_at TEXT NOT NULL
) STRICT;

CREATE INDEX sarif_uploads_by_age ON sarif_uploads (created_at) WHERE sha256 IS NOT NULL;

CREATE INDEX sarif_uploads_by_file ON sarif_uploads (sha256) WHERE sha256 IS NOT NULL;

CREATE INDEX sarif_uploads_of_repo ON sarif_uploads (repo_id, seq);

CREATE INDEX sarif_uploads_pending ON sarif_uploads (repo_id) WHERE state = 'pending';

CREATE TABLE search_marks (
  kind TEXT NOT NULL CHECK (kind IN ('record', 'repo', 'code')),
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL DEFAULT 0 CHECK ((kind = 'record') = (number > 0)),
  version INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (kind, repo_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE secret_alerts (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  -- HMAC-SHA-256 of type and text, with a key of the installation, in base64url.
  fingerprint TEXT NOT NULL,
  type TEXT NOT NULL,
  label TEXT NOT NULL,
  -- The first 4 and the last 2 characters.
  preview TEXT NOT NULL,
  validity TEXT NOT NULL CHECK (validity IN ('unknown', 'active', 'inactive')),
  state TEXT NOT NULL CHECK (state IN ('open', 'resolved')),
  resolution TEXT CHECK (resolution IN ('false_positive', 'wont_fix', 'revoked', 'used_in_tests')),
  resolved_by TEXT REFERENCES actors (id),
  resolved_at TEXT,
  note TEXT,
  bypassed_by TEXT REFERENCES actors (id),
  bypassed_at TEXT,
  bypass_reason TEXT CHECK (bypass_reason IN ('false_positive', 'used_in_tests', 'will_fix_later')),
  locations_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  UNIQUE (repo_id, fingerprint),
  CHECK ((state = 'resolved') = (resolved_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX secret_alerts_of_repo ON secret_alerts (repo_id, state, id);

CREATE TABLE secret_bypasses (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  fingerprint TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('false_positive', 'used_in_tests', 'will_fix_later')),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, user_id, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE INDEX secret_bypasses_by_end ON secret_bypasses (expires_at);

CREATE TABLE secret_locations (
  alert_id TEXT NOT NULL REFERENCES secret_alerts (id) ON DELETE CASCADE,
  "commit" TEXT NOT NULL,
  path TEXT NOT NULL,
  line INTEGER NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('push', 'history', 'issue', 'pull', 'comment', 'session')),
  found_at TEXT NOT NULL,
  PRIMARY KEY (alert_id, "commit", path, line)
) STRICT, WITHOUT ROWID;

CREATE INDEX secret_locations_by_time ON secret_locations (alert_id, found_at);

CREATE TABLE secret_patterns (
  id TEXT PRIMARY KEY,
  workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- In the syntax of RE2.
  pattern TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 0 CHECK (enabled IN (0, 1)),
  push_protection INTEGER NOT NULL DEFAULT 0 CHECK (push_protection IN (0, 1)),
  -- JSON: the last test on the history of a repository, without the texts that it found.
  test TEXT CHECK (json_valid(test)),
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((workspace_id IS NULL) <> (repo_id IS NULL))
) STRICT;

CREATE UNIQUE INDEX secret_patterns_of_repo ON secret_patterns (repo_id, name) WHERE repo_id IS NOT NULL;

CREATE UNIQUE INDEX secret_patterns_of_workspace ON secret_patterns (workspace_id, name) WHERE workspace_id IS NOT NULL;

CREATE TABLE secret_scans (
  repo_id TEXT PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'complete', 'failed')),
  requested_by TEXT REFERENCES actors (id),
  -- JSON: the commits to scan from, and those behind which everything is scanned.
  tips TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tips)),
  finished TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(finished)),
  commits INTEGER NOT NULL DEFAULT 0,
  alerts INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  finished_at TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE security_managers (
  team_id TEXT PRIMARY KEY REFERENCES teams (id) ON DELETE CASCADE,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  added_by TEXT REFERENCES actors (id),
  added_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX security_managers_of_workspace ON security_managers (workspace_id);

CREATE TABLE session_costs (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  cost_usd REAL NOT NULL CHECK (cost_usd >= 0),
  PRIMARY KEY (repo_id, day)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE session_summaries (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  asked_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('summarizing', 'done', 'failed')),
  -- The last entry of the session that was read.
  last_seq INTEGER NOT NULL DEFAULT 0,
  -- A hash of the conversation that was read.
  conversation TEXT,
  -- Markdown; each citation is a link.
  summary TEXT,
  -- JSON: what the summary rests on.
  citations TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(citations)),
  -- Citations of things that do not exist or that the person may not see.
  dropped INTEGER NOT NULL DEFAULT 0,
  error_code TEXT,
  error_message TEXT,
  -- Millionths of a dollar.
  cost INTEGER,
  created_at TEXT NOT NULL,
  ended_at TEXT,
  PRIMARY KEY (pull_id, asked_by)
) STRICT, WITHOUT ROWID;

CREATE INDEX session_summaries_by_age ON session_summaries (created_at);

CREATE INDEX session_summaries_of_person ON session_summaries (asked_by, repo_id);

CREATE INDEX session_summaries_of_repo ON session_summaries (repo_id);

CREATE TABLE setting_rows (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('variable', 'secret')),
  workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name = upper(name)),
  -- The text of a variable. A secret is encrypted under a key made of the installation key and this id.
  value TEXT NOT NULL,
  -- JSON arrays, sorted. An empty one means all; available_to is never empty.
  available_to TEXT NOT NULL CHECK (json_valid(available_to)),
  environments TEXT NOT NULL CHECK (json_valid(environments)),
  projects TEXT NOT NULL CHECK (json_valid(projects)),
  note TEXT,
  updated_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  CHECK ((repo_id IS NULL) <> (workspace_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX setting_rows_of_repo ON setting_rows (repo_id, kind, name, id) WHERE repo_id IS NOT NULL;

CREATE INDEX setting_rows_of_workspace ON setting_rows (workspace_id, kind, name, id) WHERE workspace_id IS NOT NULL;

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

CREATE TABLE site_settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL CHECK (json_valid(value)),
  changed_by TEXT REFERENCES actors (id),
  changed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE stars (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (user_id, repo_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX stars_of_repo ON stars (repo_id, user_id);

CREATE TRIGGER stored_files_added AFTER INSERT ON stored_files WHEN NEW.unneeded_at IS NULL BEGIN
  UPDATE stored_totals SET files = files + 1, bytes = bytes + NEW.size WHERE away = NEW.away;
END;

CREATE TRIGGER stored_files_changed AFTER UPDATE OF size, away, unneeded_at ON stored_files BEGIN
  UPDATE stored_totals SET files = files - 1, bytes = bytes - OLD.size
    WHERE away = OLD.away AND OLD.unneeded_at IS NULL;
  UPDATE stored_totals SET files = files + 1, bytes = bytes + NEW.size
    WHERE away = NEW.away AND NEW.unneeded_at IS NULL;
END;

CREATE TRIGGER stored_files_removed AFTER DELETE ON stored_files WHEN OLD.unneeded_at IS NULL BEGIN
  UPDATE stored_totals SET files = files - 1, bytes = bytes - OLD.size WHERE away = OLD.away;
END;

CREATE TABLE stored_files (
  name TEXT PRIMARY KEY, -- its path below the data directory
  store TEXT, -- the object store of a pack or an index; null for an uploaded file
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  modified_ms INTEGER NOT NULL, -- as the file's own time: maintenance goes by it
  stored_at TEXT NOT NULL,
  used_ms INTEGER NOT NULL, -- when its store, or itself, was last asked for, to the minute
  proven INTEGER NOT NULL DEFAULT 0 CHECK (proven IN (0, 1)), -- whether its bytes were read back from the bucket
  away INTEGER NOT NULL DEFAULT 0 CHECK (away IN (0, 1)), -- whether it is in the bucket only
  unneeded_at TEXT -- since when nothing stands for it; it goes a day later, because a copy of the database may be behind
) STRICT, WITHOUT ROWID;

CREATE INDEX stored_files_of_store ON stored_files (store);

CREATE INDEX stored_files_unneeded ON stored_files (unneeded_at) WHERE unneeded_at IS NOT NULL;

CREATE TABLE stored_totals (
  away INTEGER PRIMARY KEY CHECK (away IN (0, 1)), -- 1: those that are in the bucket only
  files INTEGER NOT NULL CHECK (files >= 0),
  bytes INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT;

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

CREATE TABLE text_mentions (
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  text_id TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (repo_id, number, text_id, name),
  FOREIGN KEY (repo_id, number) REFERENCES records (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

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
, pull_number INTEGER CHECK (pull_number IS NULL OR kind = 'agent'), audience TEXT CHECK (audience IN ('mcp', 'api'))) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_by_end ON tokens (expires_at) WHERE expires_at IS NOT NULL;

CREATE INDEX tokens_of_actor ON tokens (actor_id, id);

CREATE TABLE tracker_updates (
  seq INTEGER PRIMARY KEY,
  integration_id TEXT NOT NULL REFERENCES incoming_hooks (integration_id) ON DELETE CASCADE,
  fingerprint TEXT NOT NULL,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('status', 'comment')),
  -- The comment whose text is sent; null for the status.
  comment_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed', 'cancelled')),
  attempt INTEGER NOT NULL,
  -- Milliseconds; null once it has ended.
  due_at INTEGER,
  -- Why it was not sent.
  message TEXT,
  created_at TEXT NOT NULL,
  finished_at TEXT
, started INTEGER NOT NULL DEFAULT 0
  CHECK (started IN (0, 1))) STRICT;

CREATE INDEX tracker_updates_due ON tracker_updates (integration_id, due_at)
  WHERE due_at IS NOT NULL;

CREATE INDEX tracker_updates_of_hook ON tracker_updates (integration_id, seq);

CREATE TABLE triage_proposals (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('label', 'duplicate', 'severity', 'question')),
  -- The name of a label, the number of an issue, a severity, or the question.
  value TEXT NOT NULL,
  reason TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'dismissed', 'applied')),
  decided_by TEXT,
  decided_at TEXT,
  FOREIGN KEY (repo_id, number) REFERENCES issue_triages (repo_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX triage_proposals_of_issue ON triage_proposals (repo_id, number);

CREATE TRIGGER upstream_files_added AFTER INSERT ON upstream_files BEGIN
  UPDATE package_upstreams SET cached_bytes = cached_bytes + NEW.size_in_bytes
    WHERE id = NEW.upstream_id;
END;

CREATE TRIGGER upstream_files_changed AFTER UPDATE OF size_in_bytes ON upstream_files BEGIN
  UPDATE package_upstreams SET cached_bytes = cached_bytes - OLD.size_in_bytes + NEW.size_in_bytes
    WHERE id = NEW.upstream_id;
END;

CREATE TRIGGER upstream_files_removed AFTER DELETE ON upstream_files BEGIN
  UPDATE package_upstreams SET cached_bytes = cached_bytes - OLD.size_in_bytes
    WHERE id = OLD.upstream_id;
END;

CREATE TABLE upstream_files (
  upstream_id TEXT NOT NULL REFERENCES package_upstreams (id) ON DELETE CASCADE,
  key TEXT NOT NULL, -- what the registry calls it
  kind TEXT NOT NULL CHECK (kind IN ('document', 'file')), -- documents change and are revalidated
  name TEXT NOT NULL, -- of the package
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  content_type TEXT NOT NULL,
  etag TEXT,
  last_modified TEXT,
  checked_at TEXT NOT NULL, -- when the upstream last said that this is current
  changed_at TEXT NOT NULL,
  used_at TEXT NOT NULL, -- rounded, so that reading writes seldom
  PRIMARY KEY (upstream_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX upstream_files_by_blob ON upstream_files (sha256);

CREATE INDEX upstream_files_by_name ON upstream_files (upstream_id, name);

CREATE INDEX upstream_files_by_use ON upstream_files (upstream_id, used_at);

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
, suspended_reason TEXT, theme TEXT CHECK (theme IN ('system', 'light', 'dark')), locale TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE viewed_files (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES actors (id),
  path TEXT NOT NULL,
  oid TEXT NOT NULL, -- empty for a removed file
  viewed_at TEXT NOT NULL,
  PRIMARY KEY (pull_id, user_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE vulnerability_reports (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  -- Null for a report without an account, which has an address instead.
  reporter_id TEXT REFERENCES actors (id),
  email TEXT,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  severity TEXT CHECK (severity IN ('critical', 'high', 'medium', 'low')),
  state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'accepted', 'declined')),
  created_at TEXT NOT NULL,
  reviewed_by TEXT REFERENCES actors (id),
  reviewed_at TEXT,
  review_note TEXT
, secret_hash TEXT) STRICT;

CREATE INDEX vulnerability_reports_by_reporter ON vulnerability_reports (reporter_id, created_at) WHERE reporter_id IS NOT NULL;

CREATE UNIQUE INDEX vulnerability_reports_by_secret ON vulnerability_reports (secret_hash) WHERE secret_hash IS NOT NULL;

CREATE INDEX vulnerability_reports_of_repo ON vulnerability_reports (repo_id, state, seq);

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

CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (hook_id, state, id);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (hook_id, due_at) WHERE due_at IS NOT NULL;

CREATE INDEX webhook_deliveries_of_hook ON webhook_deliveries (hook_id, id);

CREATE TABLE webhook_payloads (
  event_id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  kept_until TEXT NOT NULL
) STRICT;

CREATE INDEX webhook_payloads_by_end ON webhook_payloads (kept_until);

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

CREATE TABLE wikis (
  repo_id TEXT PRIMARY KEY REFERENCES repos (id) ON DELETE CASCADE,
  branch TEXT NOT NULL CHECK (branch <> ''), -- the name of its branch, chosen by the first push
  commit_sha TEXT NOT NULL CHECK (length(commit_sha) IN (40, 64)),
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_actors (
  owner_id TEXT PRIMARY KEY REFERENCES actors (id) ON DELETE CASCADE,
  actor_id TEXT NOT NULL REFERENCES actors (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_actors_by_actor ON workflow_actors (actor_id);

CREATE TABLE workflow_annotations (
  job_id TEXT NOT NULL REFERENCES workflow_jobs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  step INTEGER,
  level TEXT NOT NULL CHECK (level IN ('notice', 'warning', 'failure')),
  file TEXT,
  line INTEGER,
  end_line INTEGER,
  column INTEGER,
  title TEXT,
  message TEXT NOT NULL,
  PRIMARY KEY (job_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_attempts (
  run_id TEXT NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  conclusion TEXT NOT NULL,
  error TEXT,
  rerun_by TEXT REFERENCES actors (id),
  started_at TEXT,
  finished_at TEXT,
  PRIMARY KEY (run_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_candidates (
  -- The entry of the queue.
  entry_id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  base_sha TEXT NOT NULL,
  base_ref TEXT NOT NULL,
  pull INTEGER NOT NULL,
  actor_id TEXT NOT NULL,
  -- Whether its runs have been made.
  planned INTEGER NOT NULL DEFAULT 0 CHECK (planned IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_candidates_of_commit ON workflow_candidates (repo_id, sha);

CREATE TRIGGER workflow_jobs_log_removed AFTER DELETE ON workflow_jobs
  WHEN OLD.log_stored_bytes > 0 BEGIN
  UPDATE repo_storage SET files = files - 1, bytes = bytes - OLD.log_stored_bytes
    WHERE repo_id = OLD.repo_id AND kind = 'logs';
END;

CREATE TRIGGER workflow_jobs_log_stored AFTER UPDATE OF log_stored_bytes ON workflow_jobs
  WHEN NEW.log_stored_bytes <> OLD.log_stored_bytes BEGIN
  INSERT INTO repo_storage (repo_id, kind, workspace_id, files, bytes)
    SELECT id, 'logs', workspace_id, 0, 0 FROM repos WHERE id = NEW.repo_id
    ON CONFLICT DO NOTHING;
  UPDATE repo_storage SET files = files + (NEW.log_stored_bytes > 0) - (OLD.log_stored_bytes > 0),
      bytes = bytes + NEW.log_stored_bytes - OLD.log_stored_bytes
    WHERE repo_id = NEW.repo_id AND kind = 'logs';
END;

CREATE TABLE workflow_jobs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  run_id TEXT NOT NULL REFERENCES workflow_runs (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  -- Unique in the attempt: "build (1.22, linux)". The same of the job that called its workflow.
  key TEXT NOT NULL,
  parent TEXT,
  -- Its place in the file: 0001.0003 is the third of a matrix, or of a called workflow.
  position TEXT NOT NULL,
  -- The id of the job in its file.
  job_id TEXT NOT NULL,
  name TEXT NOT NULL,
  needs TEXT NOT NULL CHECK (json_valid(needs)),
  -- What was resolved when it was expanded; null before.
  plan TEXT CHECK (json_valid(plan)),
  -- What decisions see: pending, started, running, completed.
  stage TEXT NOT NULL CHECK (stage IN ('pending', 'started', 'running', 'completed')),
  status TEXT NOT NULL CHECK (status IN ('queued', 'waiting', 'in_progress', 'completed')),
  conclusion TEXT CHECK ((conclusion IS NOT NULL) = (status = 'completed')),
  waiting_for TEXT CHECK (waiting_for IN ('approval', 'concurrency', 'environment', 'runner')),
  reason TEXT,
  labels TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(labels)),
  concurrency_group TEXT,
  -- Sealed where a value holds a secret.
  outputs TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(outputs)),
  ended_as INTEGER,
  runner_id TEXT,
  runner_name TEXT,
  lease_until INTEGER,
  cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  -- How often a stop of the forge cut it off.
  interruptions INTEGER NOT NULL DEFAULT 0,
  -- The job of an earlier attempt whose result and log this one has.
  same_as TEXT,
  log_bytes INTEGER NOT NULL DEFAULT 0,
  log_lines INTEGER NOT NULL DEFAULT 0,
  log_state TEXT NOT NULL DEFAULT 'none' CHECK (log_state IN ('none', 'live', 'packed', 'expired')),
  summary TEXT,
  queued_at TEXT,
  started_at TEXT,
  finished_at TEXT
, log_stored_bytes INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX workflow_jobs_leased ON workflow_jobs (lease_until) WHERE lease_until IS NOT NULL;

CREATE INDEX workflow_jobs_of_run ON workflow_jobs (run_id, attempt, position);

CREATE INDEX workflow_jobs_open ON workflow_jobs (repo_id, concurrency_group) WHERE status <> 'completed';

CREATE INDEX workflow_jobs_queued ON workflow_jobs (workspace_id, seq) WHERE status = 'queued' AND stage = 'started';

CREATE TABLE workflow_models (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  blob TEXT NOT NULL,
  path TEXT NOT NULL,
  -- Models of another format are read from git again.
  format INTEGER NOT NULL,
  -- Null for a file with errors.
  model BLOB,
  problems TEXT NOT NULL CHECK (json_valid(problems)),
  used_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, blob, path)
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_models_by_use ON workflow_models (used_at);

CREATE TABLE workflow_runs (
  -- What jobs see as their run id, which has to be a number.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  number INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 1,
  event TEXT NOT NULL,
  -- The name that the dialect has for it: dispatch is workflow_dispatch.
  event_name TEXT NOT NULL,
  -- The full name of the ref.
  ref TEXT NOT NULL,
  -- The code that jobs get, the commit that people see the result at, and the one of the workflow file.
  sha TEXT NOT NULL,
  head_sha TEXT NOT NULL,
  workflow_sha TEXT NOT NULL,
  workflow_blob TEXT NOT NULL,
  pull INTEGER,
  status TEXT NOT NULL CHECK (status IN ('queued', 'waiting', 'in_progress', 'completed')),
  conclusion TEXT CHECK ((conclusion IS NOT NULL) = (status = 'completed')),
  waiting_for TEXT CHECK (waiting_for IN ('approval', 'concurrency', 'environment', 'runner')),
  error TEXT,
  actor_id TEXT REFERENCES actors (id),
  -- Who started this attempt.
  rerun_by TEXT REFERENCES actors (id),
  approved_by TEXT REFERENCES actors (id),
  trusted INTEGER NOT NULL CHECK (trusted IN (0, 1)),
  -- False when an agent changed the workflow file: its result does not count for rules.
  counts INTEGER NOT NULL DEFAULT 1 CHECK (counts IN (0, 1)),
  -- The event in the dialect's shape, as JSON that zstd compressed.
  payload BLOB NOT NULL,
  inputs TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(inputs)),
  concurrency_group TEXT,
  -- Models of called workflows by the key of the caller: blob and path.
  callees TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(callees)),
  -- The event that made it, and how many runs of event workflow_run led here.
  event_id TEXT,
  depth INTEGER NOT NULL DEFAULT 0,
  cancelled_by TEXT REFERENCES actors (id),
  cancelled_at TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT, waiting_reason TEXT,
  UNIQUE (workflow_id, number)
) STRICT;

CREATE INDEX workflow_runs_by_age ON workflow_runs (created_at);

CREATE INDEX workflow_runs_of_commit ON workflow_runs (repo_id, head_sha, id);

CREATE UNIQUE INDEX workflow_runs_of_event ON workflow_runs (event_id, workflow_id, event_name) WHERE event_id IS NOT NULL;

CREATE INDEX workflow_runs_of_repo ON workflow_runs (repo_id, id);

CREATE INDEX workflow_runs_of_workflow ON workflow_runs (workflow_id, id);

CREATE INDEX workflow_runs_open ON workflow_runs (repo_id, concurrency_group) WHERE status <> 'completed';

CREATE TABLE workflow_schedules (
  workflow_id TEXT NOT NULL REFERENCES workflows (id) ON DELETE CASCADE,
  cron TEXT NOT NULL,
  -- The next time that it is due, in milliseconds; null when that never comes.
  next_at INTEGER,
  PRIMARY KEY (workflow_id, cron)
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_schedules_due ON workflow_schedules (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE workflow_steps (
  job_id TEXT NOT NULL REFERENCES workflow_jobs (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'in_progress', 'completed')),
  conclusion TEXT,
  started_at TEXT,
  finished_at TEXT,
  -- Lines of the log.
  log_from INTEGER,
  log_to INTEGER,
  PRIMARY KEY (job_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_tokens (
  token_id TEXT PRIMARY KEY REFERENCES tokens (id) ON DELETE CASCADE,
  job_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_tokens_of_job ON workflow_tokens (job_id);

CREATE TABLE workflows (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  switched TEXT NOT NULL DEFAULT 'active' CHECK (switched IN ('active', 'disabled', 'disabled_by_inactivity')),
  -- The file on the default branch; null while it is on other branches only.
  blob TEXT,
  errors TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(errors)),
  events TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(events)),
  -- The number of the last run.
  runs_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (repo_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE workspace_package_bytes (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  bytes INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER workspace_package_files_added AFTER INSERT ON workspace_package_files BEGIN
  INSERT INTO workspace_package_bytes (workspace_id, bytes) VALUES (NEW.workspace_id, NEW.size_in_bytes)
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER workspace_package_files_removed AFTER DELETE ON workspace_package_files BEGIN
  UPDATE workspace_package_bytes SET bytes = bytes - OLD.size_in_bytes
    WHERE workspace_id = OLD.workspace_id;
END;

CREATE TABLE workspace_package_files (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  size_in_bytes INTEGER NOT NULL CHECK (size_in_bytes >= 0),
  -- The rows of package_files and image_blobs that name it.
  holders INTEGER NOT NULL CHECK (holders >= 0),
  PRIMARY KEY (workspace_id, sha256)
) STRICT, WITHOUT ROWID;

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
, package_creation TEXT NOT NULL DEFAULT 'members'
  CHECK (package_creation IN ('members', 'owners')), memory_review INTEGER NOT NULL DEFAULT 0 CHECK (memory_review IN (0, 1)), secret_scanning_required INTEGER NOT NULL DEFAULT 0 CHECK (secret_scanning_required IN (0, 1)), push_protection_required INTEGER NOT NULL DEFAULT 0 CHECK (push_protection_required IN (0, 1))) STRICT, WITHOUT ROWID;
