/**
 * Which rows go with a workspace that moves to another forge. Each table of the schema stands in one of the two lists, so that a new one
 * cannot be forgotten; a test holds them against the schema. `:repos`, `:pulls` stand for the ids of the workspace's, `?1` is the
 * workspace itself.
 */

/** In the order in which they can be written. */
export const TAKEN: Readonly<Record<string, string>> = {
  workspaces: 'id = ?1',
  workspace_redirects: 'workspace_id = ?1',
  members: 'workspace_id = ?1',
  projects: 'workspace_id = ?1',
  teams: 'workspace_id = ?1',
  team_lines: 'team_id IN (SELECT id FROM teams WHERE workspace_id = ?1)',
  team_members: 'team_id IN (SELECT id FROM teams WHERE workspace_id = ?1)',
  team_turns: 'team_id IN (SELECT id FROM teams WHERE workspace_id = ?1)',
  repos: 'workspace_id = ?1 AND purged_at IS NULL',
  redirects: 'workspace_id = ?1 AND repo_id IN (:repos)',
  project_repos: 'repo_id IN (:repos)',
  team_repos: 'repo_id IN (:repos) AND team_id IN (SELECT id FROM teams WHERE workspace_id = ?1)',
  collaborators: 'repo_id IN (:repos)',
  refs: 'repo_id IN (:repos)',
  branch_redirects: 'repo_id IN (:repos)',
  labels: 'repo_id IN (:repos)',
  milestones: 'repo_id IN (:repos)',
  records: 'repo_id IN (:repos) ORDER BY seq',
  issues: 'repo_id IN (:repos)',
  record_labels: 'repo_id IN (:repos)',
  record_links: 'repo_id IN (:repos)',
  record_subscriptions: 'repo_id IN (:repos)',
  assignees: 'repo_id IN (:repos)',
  blockers: 'repo_id IN (:repos)',
  asked_people: 'repo_id IN (:repos)',
  agents: 'repo_id IN (:repos)',
  pulls: 'repo_id IN (:repos)',
  comments: 'repo_id IN (:repos)',
  reactions: 'comment_id IN (SELECT id FROM comments WHERE repo_id IN (:repos))',
  reviews: 'pull_id IN (:pulls)',
  review_requests: 'pull_id IN (:pulls)',
  session_entries: 'pull_id IN (:pulls)',
  session_costs: 'repo_id IN (:repos)',
  pull_heads: 'pull_id IN (:pulls)',
  pull_stats: 'pull_id IN (:pulls)',
  pull_touches: 'pull_id IN (:pulls)',
  pull_folders: 'pull_id IN (:pulls)',
  pull_owners: 'pull_id IN (:pulls)',
  head_pushers: 'pull_id IN (:pulls)',
  branch_pulls: 'repo_id IN (:repos)',
  commit_pulls: 'repo_id IN (:repos)',
  commit_statuses: 'repo_id IN (:repos)',
  check_runs: `repo_id IN (:repos) AND state IN ('done', 'replaced')`,
  check_results: `run_id IN (SELECT id FROM check_runs WHERE repo_id IN (:repos) AND state IN ('done', 'replaced'))`,
  cross_references: 'target_repo_id IN (:repos) AND repo_id IN (:repos)',
  text_mentions: 'repo_id IN (:repos)',
  repo_subscriptions: 'repo_id IN (:repos)',
  stars: 'repo_id IN (:repos)',
  releases: 'repo_id IN (:repos)',
  release_assets: 'release_id IN (SELECT id FROM releases WHERE repo_id IN (:repos))',
  rulesets: 'workspace_id = ?1 OR repo_id IN (:repos)',
  rule_evaluations: 'repo_id IN (:repos)',
  events: 'workspace_id = ?1 AND (repo_id IS NULL OR repo_id IN (:repos))',
}

/** And why they stay. Files of the data directory go along with `release_assets`. */
export const LEFT: Readonly<Record<string, string>> = {
  actors: 'found through the rows that name them',
  users: 'people have their own accounts there',
  emails: 'only the confirmed ones of the people who are named, to find their accounts by',
  record_counts: 'counted anew',
  record_fts: 'indexed anew',
  search_marks: 'indexed anew',
  audit_log: 'what was done stays where it was done; its chain cannot be continued elsewhere',
  agent_activity: 'of accounts', agent_questions: 'answered by agents that are not there', authenticators: 'of accounts', device_codes: 'of accounts', feed_tokens: 'of accounts',
  identities: 'of accounts', group_memberships: 'of the providers of the other forge', invites: 'of accounts', keys: 'of accounts', notification_settings: 'of accounts', notification_work: 'passing',
  notifications: 'of accounts', oauth_applications: 'of accounts', oauth_grants: 'secrets', oauth_refresh_tokens: 'secrets', passkeys: 'of accounts', pending_sign_ins: 'secrets',
  proofs: 'secrets', recovery_codes: 'secrets', setup_links: 'secrets', sign_ins: 'secrets', tokens: 'secrets', token_repos: 'of tokens',
  invitations: 'links in letters that lead to the other forge', webhooks: 'their secrets are sealed by the other forge', webhook_deliveries: 'of webhooks', webhook_payloads: 'of webhooks',
  imports: 'work of the other forge', jobs: 'work of the other forge', idempotency_keys: 'passing', auto_merges: 'somebody there has to ask for them', rule_findings: 'found anew',
  review_drafts: 'not yet said', viewed_files: 'marks for oneself', queue_entries: 'work under way', queue_pauses: 'work under way', quotas: 'of the other forge', site_settings: 'of the other forge',
  backups: 'of the other forge', stored_files: 'of the bucket of the other forge', migrations: 'of the other forge',
}

/** Columns that name an actor though no constraint says so. */
export const NAMES_ACTOR: Readonly<Record<string, readonly string[]>> = {
  events: ['actor_id'], review_requests: ['reviewer_id'], check_runs: ['principal_id', 'approved_by'], head_pushers: ['actor_id'], record_links: ['merged_by'],
}

/** What the receiving side counts or sets by itself while rows come in. */
export const BEGINS_AT: Readonly<Record<string, Readonly<Record<string, number | null>>>> = {
  labels: { issues_count: 0 },
  records: { comments_count: 0 },
  check_results: { log_bytes: null },
  pulls: { auto_merge: 0 },
}

/** Columns that the receiving side gives: numbers of rows. */
export const GIVEN: Readonly<Record<string, readonly string[]>> = { records: ['seq'] }
