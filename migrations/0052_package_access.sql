-- How many builds of a snapshot retention keeps.
ALTER TABLE package_retention ADD COLUMN snapshots_kept INTEGER NOT NULL DEFAULT 20
  CHECK (snapshots_kept >= 1);

-- The role that a team gives on a package to its members and to those of its descendants.
CREATE TABLE package_team_roles (
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('read', 'write', 'admin')),
  PRIMARY KEY (package_id, team_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX package_team_roles_by_team ON package_team_roles (team_id);
