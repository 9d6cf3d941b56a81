-- Mirrors over SSH sign in with a key pair of their own, and accept one host key.
ALTER TABLE mirrors ADD COLUMN ssh_key TEXT; -- the private key, sealed; null for addresses of other kinds
ALTER TABLE mirrors ADD COLUMN ssh_public_key TEXT; -- the line that the remote has to know
ALTER TABLE mirrors ADD COLUMN host_key TEXT; -- the fingerprint of the remote's key; null before the first contact
