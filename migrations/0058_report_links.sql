-- The SHA-256 of the secret in the link with which a reporter without an account follows a report.
ALTER TABLE vulnerability_reports ADD COLUMN secret_hash TEXT;

CREATE UNIQUE INDEX vulnerability_reports_by_secret ON vulnerability_reports (secret_hash) WHERE secret_hash IS NOT NULL;
