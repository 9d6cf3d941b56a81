-- Who may do what beyond membership: invitations, teams, collaborators, and requests for review.

-- One shape for invitations into a workspace and to a repository.
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('workspace', 'repository')),
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  -- Somebody is invited by account or by address; who answers an address becomes the invitee.
  invitee_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  email TEXT CHECK (email = lower(email)),
  role TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'declined', 'withdrawn')),
  -- The permission to make an account that goes with an invited address.
  invite_id TEXT REFERENCES invites (id) ON DELETE SET NULL,
  invited_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  answered_at TEXT,
  expires_at TEXT NOT NULL,
  CHECK ((kind = 'repository') = (repo_id IS NOT NULL)),
  CHECK (invitee_id IS NOT NULL OR email IS NOT NULL),
  CHECK (role IN ('member', 'owner') OR kind = 'repository'),
  CHECK (role IN ('read', 'triage', 'write', 'maintain', 'admin') OR kind = 'workspace')
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_of_workspace ON invitations (workspace_id, kind, id);
CREATE INDEX invitations_of_repo ON invitations (repo_id, id) WHERE repo_id IS NOT NULL;
CREATE INDEX invitations_to_person ON invitations (invitee_id) WHERE invitee_id IS NOT NULL;
CREATE INDEX invitations_to_address ON invitations (email) WHERE email IS NOT NULL;

-- Slugs that a workspace had before. Whoever has the slug now comes first.
CREATE TABLE workspace_redirects (
  slug TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (workspace_id, slug)
) STRICT, WITHOUT ROWID;

CREATE TABLE project_repos (
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, repo_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_repos_by_repo ON project_repos (repo_id);

CREATE TABLE teams (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  description TEXT NOT NULL,
  visibility TEXT NOT NULL CHECK (visibility IN ('visible', 'secret')),
  parent_id TEXT REFERENCES teams (id) ON DELETE SET NULL,
  notify INTEGER NOT NULL CHECK (notify IN (0, 1)),
  -- What differs from the defaults; excluded people by id.
  review_assignment TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(review_assignment)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (workspace_id, slug),
  CHECK (visibility = 'visible' OR parent_id IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX teams_of_parent ON teams (parent_id) WHERE parent_id IS NOT NULL;

-- Each team with itself and every team above it, so that what is inherited is one join.
CREATE TABLE team_lines (
  team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  ancestor_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  distance INTEGER NOT NULL CHECK (distance BETWEEN 0 AND 5),
  PRIMARY KEY (team_id, ancestor_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_lines_down ON team_lines (ancestor_id, team_id);

CREATE TABLE team_members (
  team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('member', 'maintainer')),
  added_by TEXT REFERENCES actors (id),
  added_at TEXT NOT NULL,
  PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_members_of_user ON team_members (user_id, team_id);

CREATE TABLE team_repos (
  team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('read', 'triage', 'write', 'maintain', 'admin')),
  added_by TEXT REFERENCES actors (id),
  added_at TEXT NOT NULL,
  PRIMARY KEY (team_id, repo_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_repos_by_repo ON team_repos (repo_id, team_id);

-- When a team asked whom for a review: a number that only grows, for taking turns.
CREATE TABLE team_turns (
  team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  turn INTEGER NOT NULL,
  PRIMARY KEY (team_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE collaborators (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('read', 'triage', 'write', 'maintain', 'admin')),
  added_by TEXT REFERENCES actors (id),
  added_at TEXT NOT NULL,
  PRIMARY KEY (repo_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collaborators_of_user ON collaborators (user_id, repo_id);

-- Every role that was given to somebody on a repository, and through what. A view, because what nobody copies cannot
-- disagree: access reads it, and those who keep teams and collaborators need not tell anyone of a change. `rank` goes from
-- 1 (read) to 5 (admin); a direct grant has no team.
CREATE VIEW role_grants (repo_id, user_id, rank, team_id, granted_at) AS
SELECT repo_id, user_id, instr('rtwma', substr(role, 1, 1)), NULL, added_at FROM collaborators
UNION ALL
SELECT r.repo_id, m.user_id, instr('rtwma', substr(r.role, 1, 1)), r.team_id, max(r.added_at, m.added_at)
FROM team_repos r JOIN team_lines l ON l.ancestor_id = r.team_id JOIN team_members m ON m.team_id = l.team_id;

-- Who is asked to review a pull request and has not answered yet: a person or agent, or a team.
CREATE TABLE review_requests (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  -- The id of the actor or of the team.
  reviewer_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('user', 'agent', 'team')),
  -- The team that picked this person; null for whoever was asked by name.
  via_team TEXT REFERENCES teams (id) ON DELETE SET NULL,
  -- For a team: whether everyone in it is asked, because it picks nobody.
  whole INTEGER NOT NULL CHECK (whole IN (0, 1)),
  requested_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  PRIMARY KEY (pull_id, reviewer_id),
  CHECK (via_team IS NULL OR kind = 'user'),
  CHECK (whole = 0 OR kind = 'team')
) STRICT, WITHOUT ROWID;
CREATE INDEX review_requests_by_reviewer ON review_requests (reviewer_id, pull_id);
