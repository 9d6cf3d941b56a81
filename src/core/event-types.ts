/**
 * The names of all event types, including those that no feature declares yet. Webhooks and filters
 * of the timeline accept these names. The list is public interface, so it must not depend on which
 * features are built in. It is in core because features that do not import each other use it.
 */
export const EVENT_TYPES: ReadonlySet<string> = new Set([
  'agent.asked',
  'backup.failed',
  'branch.renamed',
  'checks.completed',
  'comment.created',
  'commit.status',
  'deployment.waiting',
  'file.locked',
  'file.unlocked',
  'git.push',
  'issue.assigned',
  'issue.closed',
  'issue.opened',
  'issue.reopened',
  'issue.triaged',
  'issue.updated',
  'member.added',
  'member.removed',
  'mirror.state_changed',
  'package.deleted',
  'package.published',
  'ping',
  'pull.closed',
  'pull.merge_requested',
  'pull.merged',
  'pull.opened',
  'pull.ready',
  'pull.updated',
  'queue.changed',
  'release.published',
  'repo.archived',
  'repo.collaborator_added',
  'repo.collaborator_removed',
  'repo.collaborator_role_changed',
  'repo.created',
  'repo.default_branch_changed',
  'repo.deleted',
  'repo.forked',
  'repo.purged',
  'repo.renamed',
  'repo.restored',
  'repo.transferred',
  'repo.unarchived',
  'repo.updated',
  'repo.visibility_changed',
  'review.completed',
  'ruleset.changed',
  'security.advisory_published',
  'security.alert_opened',
  'security.analysis_completed',
  'security.dependencies_reviewed',
  'security.report_received',
  'session.appended',
  'wiki.updated',
  'workflow.completed',
])

/**
 * Events that only people who work on the findings of a repository may see: that there is one is
 * news for attackers.
 */
export const PRIVATE_EVENT_TYPES: readonly string[] = [
  'security.alert_opened',
  'security.report_received',
]
