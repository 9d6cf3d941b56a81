-- Public SSH keys of people, by which their signatures are known.
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
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_of_user ON keys (user_id, id);
