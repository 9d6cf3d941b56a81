-- Owners of repositories. Slug and display name are in actors.
CREATE TABLE workspaces (
  id TEXT PRIMARY KEY REFERENCES actors (id) ON DELETE CASCADE,
  description TEXT NOT NULL DEFAULT '',
  base_permission TEXT NOT NULL DEFAULT 'write' CHECK (base_permission IN ('none', 'read', 'write', 'admin')),
  team_creation TEXT NOT NULL DEFAULT 'members' CHECK (team_creation IN ('members', 'owners')),
  members_can_create_public_repositories INTEGER NOT NULL DEFAULT 1 CHECK (members_can_create_public_repositories IN (0, 1)),
  members_can_create_private_repositories INTEGER NOT NULL DEFAULT 1 CHECK (members_can_create_private_repositories IN (0, 1)),
  members_can_change_repo_visibility INTEGER NOT NULL DEFAULT 1 CHECK (members_can_change_repo_visibility IN (0, 1)),
  members_can_delete_repositories INTEGER NOT NULL DEFAULT 0 CHECK (members_can_delete_repositories IN (0, 1)),
  members_can_invite_outside_collaborators INTEGER NOT NULL DEFAULT 1 CHECK (members_can_invite_outside_collaborators IN (0, 1)),
  two_factor_requirement_enabled INTEGER NOT NULL DEFAULT 0 CHECK (two_factor_requirement_enabled IN (0, 1)),
  -- Kept by a reaction to the events of repositories.
  repositories_count INTEGER NOT NULL DEFAULT 0 CHECK (repositories_count >= 0),
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('member', 'owner')),
  invited_by TEXT REFERENCES actors (id),
  joined_at TEXT NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_of_user ON members (user_id, workspace_id);
