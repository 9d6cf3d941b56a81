-- Applications that people let in (OAuth 2.1). Registration needs no table: a client's id holds what it registered, signed.
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

-- One approval: the code that it gave, and the chain of tokens that came of it. The row stays as long as the chain, so that a
-- code that is used again is known.
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

-- Refresh tokens; each works once and is kept until its end, so that a stolen one is known when it is used again.
CREATE TABLE oauth_refresh_tokens (
  secret_hash TEXT PRIMARY KEY,
  code_hash TEXT NOT NULL REFERENCES oauth_grants (code_hash) ON DELETE CASCADE,
  -- The access token that came with it. One that is revoked takes this row along; one that merely ended is unlinked first.
  token_id TEXT UNIQUE REFERENCES tokens (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  used_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_refresh_tokens_of_grant ON oauth_refresh_tokens (code_hash);
CREATE INDEX oauth_refresh_tokens_by_end ON oauth_refresh_tokens (expires_at);

-- Sign-in of tools that cannot receive a redirect: a person types the short code in a browser while the tool asks for its token.
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
