-- Why an account is suspended, as the administrator wrote it.
ALTER TABLE users ADD COLUMN suspended_reason TEXT;

-- Where a browser was when it signed in, and by what: a password, a passkey, a company's sign-on.
ALTER TABLE sign_ins ADD COLUMN ip TEXT;
ALTER TABLE sign_ins ADD COLUMN method TEXT NOT NULL DEFAULT 'password';

-- One-time codes (RFC 6238). The secret is encrypted with the installation's key; it counts once a code of it was shown.
CREATE TABLE authenticators (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  sealed_secret TEXT NOT NULL,
  created_at TEXT NOT NULL,
  confirmed_at TEXT,
  -- The step of the last code that was taken: none is taken twice.
  last_step INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Codes for when the device is lost, by their hashes. A used one is deleted.
CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL,
  PRIMARY KEY (user_id, code_hash)
) STRICT, WITHOUT ROWID;

-- Passkeys (Web Authentication); `id` is the credential's, in base64url. Only public keys are here.
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

-- Sign-ins that still lack their second factor. They are no sign-ins: nothing but that step accepts their secret.
CREATE TABLE pending_sign_ins (
  secret_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  method TEXT NOT NULL,
  -- Codes that may still be tried.
  tries_left INTEGER NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX pending_sign_ins_of_user ON pending_sign_ins (user_id);
CREATE INDEX pending_sign_ins_by_end ON pending_sign_ins (expires_at);

-- Who a person is elsewhere: at a provider of the settings, under the name that it never gives to another.
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

-- Memberships that a provider's groups gave, so that leaving the group takes away these and no others.
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

-- The repositories that a person made.
DROP INDEX repos_by_creator;
CREATE INDEX repos_by_creator ON repos (created_by, id);
