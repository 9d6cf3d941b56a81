-- Mirrors: links of a repository to one on another server, what was seen there, and tips that
-- either side moved away from.

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
) STRICT, WITHOUT ROWID;

CREATE INDEX mirrors_of_repo ON mirrors (repo_id, id);

CREATE UNIQUE INDEX mirrors_leading ON mirrors (repo_id) WHERE role = 'leader';

CREATE INDEX mirrors_to_probe ON mirrors (probe_at);

-- The refs of a remote, as far as they were seen or pushed.
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

-- Former tips of refs that a sync or a hand-back moved or deleted: refs/kept/<id>/<time>/*.
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
