-- Certificates of signed pushes. The event `git.push` names them.
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
-- A certificate that is sent again is refused.
CREATE UNIQUE INDEX push_certificates_by_nonce ON push_certificates (nonce);
CREATE INDEX push_certificates_of_repo ON push_certificates (repo_id, id);
