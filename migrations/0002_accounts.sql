-- Everyone who can do something: what authors and owners of all other tables point at. A row outlives what it stands for,
-- so that history keeps its authors.
CREATE TABLE actors (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('user', 'agent', 'workspace')),
  -- A person's username, a workspace's slug, or `<owner>/<agent>`.
  username TEXT NOT NULL CHECK (username <> ''),
  name TEXT,
  on_behalf_of TEXT REFERENCES actors (id),
  CHECK ((kind = 'agent') = (on_behalf_of IS NOT NULL))
) STRICT, WITHOUT ROWID;
-- People and workspaces share one set of names; a person may give their own to a workspace, so it is unique by kind.
CREATE UNIQUE INDEX actors_by_username ON actors (username, kind) WHERE kind IN ('user', 'workspace');
CREATE INDEX actors_on_behalf_of ON actors (on_behalf_of) WHERE on_behalf_of IS NOT NULL;

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
) STRICT, WITHOUT ROWID;

-- Addresses in lower case. Several accounts may claim one, but only one can confirm it.
CREATE TABLE emails (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email TEXT NOT NULL CHECK (email = lower(email)),
  is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1)),
  is_backup INTEGER NOT NULL DEFAULT 0 CHECK (is_backup IN (0, 1)),
  created_at TEXT NOT NULL,
  verified_at TEXT,
  PRIMARY KEY (user_id, email)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX emails_confirmed ON emails (email) WHERE verified_at IS NOT NULL;
CREATE UNIQUE INDEX emails_primary ON emails (user_id) WHERE is_primary = 1;
CREATE INDEX emails_by_address ON emails (email);

-- Links that were mailed; each works once. Only the hash of its secret is kept.
CREATE TABLE proofs (
  secret_hash TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('confirm', 'reset')),
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX proofs_of_user ON proofs (user_id, kind, created_at);
CREATE INDEX proofs_by_end ON proofs (expires_at);

-- The link that makes the first account: at most one row, made anew at every start without an account.
CREATE TABLE setup_links (
  secret_hash TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Browsers that are signed in; the cookie's secret is kept as its hash.
CREATE TABLE sign_ins (
  id TEXT PRIMARY KEY,
  secret_hash TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_agent TEXT,
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_ins_of_user ON sign_ins (user_id);
CREATE INDEX sign_ins_by_end ON sign_ins (expires_at);

-- Access tokens. A revoked one is deleted, so that nothing can forget to look at a flag.
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
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_of_actor ON tokens (actor_id, id);

-- The repositories that a narrowed token reaches. Their names are kept here (a reaction follows renames), because accounts
-- know nothing of repositories.
CREATE TABLE token_repos (
  token_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (token_id, repo_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX token_repos_by_repo ON token_repos (repo_id);

-- Sign-up invites. The code is kept as it is, because its maker may see the link for as long as it is open.
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
