/**
 * The names of all types of events, those that no feature here declares yet among them: what a webhook or a reader of the
 * timeline may ask for is part of the public interface, and must not depend on which features are built in. It is in the floor
 * because features ask for it that do not know each other.
 */
export const EVENT_TYPES: ReadonlySet<string> = new Set([
  'agent.asked', 'backup.failed', 'branch.renamed', 'checks.completed', 'comment.created', 'commit.status', 'deployment.waiting', 'git.push',
  'issue.assigned', 'issue.closed', 'issue.opened', 'issue.reopened', 'issue.updated', 'member.added', 'member.removed', 'mirror.state_changed',
  'package.deleted', 'package.published', 'ping', 'pull.closed', 'pull.merge_requested', 'pull.merged', 'pull.opened', 'pull.ready', 'pull.updated',
  'queue.changed', 'release.published', 'repo.archived', 'repo.collaborator_added', 'repo.collaborator_removed', 'repo.collaborator_role_changed',
  'repo.created', 'repo.default_branch_changed', 'repo.deleted', 'repo.forked', 'repo.purged', 'repo.renamed', 'repo.restored', 'repo.transferred',
  'repo.unarchived', 'repo.updated', 'repo.visibility_changed', 'review.completed', 'ruleset.changed', 'security.alert_opened',
  'security.report_received', 'session.appended', 'workflow.completed',
])
