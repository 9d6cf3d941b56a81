-- Rulesets, what came of them, and the commit statuses that rules ask for.

-- Of a workspace or of one repository. The workspace of a repository's ruleset is the repository's, so that it moves with it.
CREATE TABLE rulesets (
  id TEXT PRIMARY KEY,
  workspace_id TEXT REFERENCES workspaces (id) ON DELETE CASCADE,
  repo_id TEXT REFERENCES repos (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  enforcement TEXT NOT NULL CHECK (enforcement IN ('active', 'evaluate', 'disabled')),
  target TEXT NOT NULL CHECK (target IN ('branch', 'tag', 'push')),
  conditions TEXT NOT NULL CHECK (json_valid(conditions)),
  bypass_actors TEXT NOT NULL CHECK (json_valid(bypass_actors)),
  rules TEXT NOT NULL CHECK (json_valid(rules)),
  created_by TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL,
  updated_by TEXT REFERENCES actors (id),
  updated_at TEXT NOT NULL,
  CHECK ((workspace_id IS NULL) <> (repo_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX rulesets_of_workspace ON rulesets (workspace_id, lower(name)) WHERE workspace_id IS NOT NULL;
CREATE UNIQUE INDEX rulesets_of_repo ON rulesets (repo_id, lower(name)) WHERE repo_id IS NOT NULL;

-- One row for each rule that was held against a push or a merge. It outlives its ruleset, whose name it keeps.
CREATE TABLE rule_evaluations (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  ruleset_id TEXT NOT NULL,
  ruleset_name TEXT NOT NULL,
  rule TEXT NOT NULL,
  ref TEXT NOT NULL,
  sha TEXT,
  pull_number INTEGER,
  actor_id TEXT REFERENCES actors (id),
  result TEXT NOT NULL CHECK (result IN ('pass', 'fail', 'bypass')),
  enforced INTEGER NOT NULL CHECK (enforced IN (0, 1)),
  message TEXT,
  time TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX rule_evaluations_of_repo ON rule_evaluations (repo_id, id);
CREATE INDEX rule_evaluations_of_ruleset ON rule_evaluations (repo_id, ruleset_id, id);
CREATE INDEX rule_evaluations_by_time ON rule_evaluations (time);

-- What git said about a pull request for a rule: a cache for one pair of commits. `key` is the rule with its parameters.
CREATE TABLE rule_findings (
  pull_id TEXT NOT NULL REFERENCES pulls (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  base_sha TEXT NOT NULL,
  head_sha TEXT NOT NULL,
  finding TEXT,
  PRIMARY KEY (pull_id, key)
) STRICT, WITHOUT ROWID;

-- Who pushed the present head of a pull request.
CREATE TABLE head_pushers (
  pull_id TEXT PRIMARY KEY REFERENCES pulls (id) ON DELETE CASCADE,
  head_sha TEXT NOT NULL,
  actor_id TEXT
) STRICT, WITHOUT ROWID;

-- What sessions reported, by day (UTC), in dollars.
CREATE TABLE session_costs (
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  cost_usd REAL NOT NULL CHECK (cost_usd >= 0),
  PRIMARY KEY (repo_id, day)
) STRICT, WITHOUT ROWID;

-- What was said of a commit from outside. All are kept; the latest of each context counts.
CREATE TABLE commit_statuses (
  id TEXT PRIMARY KEY,
  repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  context TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'success', 'failure', 'error')),
  description TEXT,
  target_url TEXT,
  creator_id TEXT REFERENCES actors (id),
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX commit_statuses_of_commit ON commit_statuses (repo_id, sha, context, id);
