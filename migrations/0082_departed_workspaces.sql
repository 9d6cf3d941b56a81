-- Workspaces that another forge serves now: addresses with their names lead there. A name may
-- belong to nobody here any more.
CREATE TABLE departed_workspaces (
  slug TEXT PRIMARY KEY,
  -- The workspace there, such as https://git.example.com/acme.
  address TEXT NOT NULL,
  departed_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
