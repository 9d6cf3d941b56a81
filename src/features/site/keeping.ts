/**
 * What ends the rows of each table, so that a forge can run for years. A test holds it against the
 * schema: a new table says here how it is kept from growing, or why it may.
 */

const WITH_REPO = 'go with their repository, in parts'
const WITH_PULL = 'go with their pull request'
const WITH_PERSON = 'go with their account'
const WITH_WORKSPACE = 'go with their workspace'
const ONE_EACH = 'one for each, or few'

/**
 * What a person wrote or did stays as long as what it belongs to; what the forge noted for itself
 * ends by the clock.
 */
export const ENDS: Readonly<Record<string, string>> = {
  // By the clock.
  audit_log: 'after audit.keep_days (400)',
  idempotency_keys: 'after a day',
  webhook_deliveries: 'after two weeks',
  webhook_payloads: 'when no delivery needs them, at most two weeks',
  rule_evaluations: 'after 90 days',
  notifications: 'done ones after 90 days, read ones after a year',
  sign_ins: 'at their end',
  pending_sign_ins: 'at their end',
  proofs: 'at their end',
  device_codes: 'a day after their end',
  oauth_grants: 'at their end',
  oauth_refresh_tokens: 'at their end',
  tokens: '90 days after their end, those of applications at once',
  setup_links: 'at their end',
  jobs: 'when they are done; failed ones after 90 days',
  agent_activity: 'with the next digest, or when digests are turned off',
  // As soon as they are dealt with.
  notification_work: 'when everybody is told; what failed for good stays to be seen',
  search_marks: 'when the index has them',
  auto_merges: 'when the pull request is merged or closed',
  queue_pauses: 'when it goes on',
  review_drafts: 'when the review is sent',
  asked_people: 'when it is done or taken back',
  rule_findings: WITH_PULL,
  // With what they belong to.
  events: `${WITH_REPO}; those of a workspace with it: they are its history, and every list of them is read from an index`,
  ...Object.fromEntries(
    [
      'records',
      'record_counts',
      'record_fts',
      'record_labels',
      'record_links',
      'record_subscriptions',
      'issues',
      'pulls',
      'comments',
      'assignees',
      'blockers',
      'labels',
      'milestones',
      'refs',
      'redirects',
      'branch_redirects',
      'branch_pulls',
      'commit_pulls',
      'commit_statuses',
      'cross_references',
      'text_mentions',
      'check_runs',
      'check_results',
      'releases',
      'release_assets',
      'queue_entries',
      'collaborators',
      'repo_subscriptions',
      'stars',
      'session_costs',
      'imports',
      'agents',
      'agent_questions',
      'webhooks',
    ].map((name) => [name, WITH_REPO]),
  ),
  reactions: 'go with their comment',
  ...Object.fromEntries(
    [
      'session_entries',
      'reviews',
      'review_requests',
      'pull_heads',
      'pull_stats',
      'pull_touches',
      'pull_folders',
      'pull_owners',
      'head_pushers',
      'viewed_files',
    ].map((name) => [name, WITH_PULL]),
  ),
  repos: 'deleted ones after 30 days, forks of closed pull requests after 30 days',
  ...Object.fromEntries(
    [
      'members',
      'teams',
      'team_lines',
      'team_members',
      'team_repos',
      'team_turns',
      'projects',
      'project_repos',
      'rulesets',
      'quotas',
      'invitations',
      'workspace_redirects',
    ].map((name) => [name, WITH_WORKSPACE]),
  ),
  ...Object.fromEntries(
    [
      'emails',
      'identities',
      'authenticators',
      'recovery_codes',
      'passkeys',
      'keys',
      'feed_tokens',
      'notification_settings',
      'group_memberships',
      'oauth_applications',
      'invites',
    ].map((name) => [name, WITH_PERSON]),
  ),
  token_repos: 'go with their token',
  // People and places themselves.
  actors: 'people, workspaces and agents, whose names stand in what they did',
  users: 'people',
  workspaces: 'workspaces',
  site_settings: ONE_EACH,
  stored_files: 'a day after the pack or the file that they stand for',
  backups: 'one row for each backup that was made',
  migrations: ONE_EACH,
}
