/** Data of events, by their types: one for every alternative of a sentence that pages show. */
type Data = Readonly<Record<string, unknown>>

const push = (ref: string, more: Data = {}): Data => ({
  ref,
  commits: 3,
  forced: false,
  created: false,
  deleted: false,
  signature: null,
  ...more,
})
const SIGNED = { signature: { verified: true } }
const ENDS = ['passed', 'failed', 'errored']
const CONCLUSIONS = ['success', 'failure', 'cancelled', 'timed_out', 'startup_failure']
const MIRRORS = [
  'setting_up',
  'standing_by',
  'ci_failover',
  'takeover',
  'handing_back',
  'following',
  'diverged',
  'paused',
  'failed',
  null,
]

/** The person who does it is called `zoe`; other names are in capital letters. */
export const EVENT_SAMPLES: Readonly<Record<string, readonly Data[]>> = {
  'member.added': ['owner', 'member'].map((role) => ({ username: 'BOB', role })),
  'member.removed': [{ username: 'BOB' }, { username: 'zoe' }],
  'git.push': [
    push('refs/heads/TOPIC'),
    push('refs/heads/TOPIC', { commits: 1, ...SIGNED }),
    push('refs/heads/TOPIC', { created: true }),
    push('refs/heads/TOPIC', { created: true, commits: 1, ...SIGNED }),
    push('refs/heads/TOPIC', { forced: true }),
    push('refs/heads/TOPIC', { forced: true, ...SIGNED }),
    push('refs/heads/TOPIC', { deleted: true }),
    push('refs/heads/TOPIC', { deleted: true, ...SIGNED }),
    push('refs/tags/V1', { created: true }),
    push('refs/tags/V1', { created: true, ...SIGNED }),
    push('refs/tags/V1'),
    push('refs/tags/V1', SIGNED),
    push('refs/tags/V1', { deleted: true }),
    push('refs/tags/V1', { deleted: true, ...SIGNED }),
  ],
  'repo.created': [{ imported: false }, { imported: true }],
  'repo.forked': [{ pull: 4 }],
  'repo.updated': [{ changed: ['description', 'website', 'topics'] }],
  'repo.visibility_changed': [{ private: true }, { private: false }],
  'repo.default_branch_changed': [{ previous: 'OLD', default_branch: 'NEW' }],
  'repo.renamed': [{ previous_name: 'OLD', name: 'NEW' }],
  'repo.transferred': [{ previous_workspace: 'OLD', workspace: 'NEW' }],
  'branch.renamed': [{ previous: 'OLD', branch: 'NEW' }],
  'repo.archived': [{}],
  'repo.unarchived': [{}],
  'repo.deleted': [{ full_name: 'A/B' }],
  'repo.restored': [{}],
  'repo.purged': [{ full_name: 'A/B' }],
  'repo.collaborator_added': [{ username: 'BOB', role: 'maintain' }],
  'repo.collaborator_role_changed': [{ username: 'BOB', previous_role: 'read', role: 'write' }],
  'repo.collaborator_removed': [{ username: 'BOB' }, { username: 'zoe' }],
  'issue.opened': [{ number: 4 }],
  'issue.updated': [
    { number: 4, changed: ['title', 'body', 'checks', 'labels', 'milestone', 'blocked_by'] },
  ],
  'issue.assigned': [
    { number: 4, assignees: ['BOB'] },
    { number: 4, assignees: [] },
  ],
  'issue.closed': [
    { number: 4, reason: 'completed', resolved_by: 5 },
    { number: 4, reason: 'completed', resolved_by: null },
    { number: 4, reason: 'not_planned', resolved_by: null },
  ],
  'issue.reopened': [{ number: 4 }],
  'comment.created': [
    { number: 4, review: null, path: null },
    { number: 4, review: 'REV', path: null },
    { number: 4, review: null, path: 'FILE', line: 7 },
  ],
  'checks.completed': ENDS.map((status) => ({ number: 4, status, sha: '757e628' })),
  'pull.opened': [{ number: 4 }],
  'pull.ready': [{ number: 4 }],
  'pull.updated': [
    { number: 4, changed: ['head'], head: '757e628' },
    { number: 4, changed: ['head'], head: '757e628', ...SIGNED },
    {
      number: 4,
      changed: ['title', 'body', 'base', 'labels', 'assignees', 'milestone', 'auto_merge'],
      head: null,
    },
    { number: 4, changed: ['requested_reviewers'], head: null },
  ],
  'pull.merge_requested': [{ number: 4 }],
  'pull.closed': [
    { number: 4, superseded_by: null },
    { number: 4, superseded_by: 5 },
  ],
  'pull.merged': [
    { number: 4, commit: '757e628', checks_ignored: false },
    { number: 4, commit: '757e628', checks_ignored: true },
  ],
  'review.completed': ['approve', 'request_changes', 'comment'].map((verdict) => ({
    number: 4,
    verdict,
  })),
  'session.appended': [
    { number: 4, from_seq: 1, last_seq: 1 },
    { number: 4, from_seq: 1, last_seq: 4 },
  ],
  'agent.asked': [
    { number: 4, from_pull: null },
    { number: 4, from_pull: 5 },
  ],
  ping: [{}],
  'mirror.state_changed': MIRRORS.map((state) => ({ name: 'FAR', state })),
  'ruleset.changed': ['created', 'updated', 'deleted'].map((action) => ({ name: 'R', action })),
  'release.published': [
    { name: 'ONE', tag_name: 'V1', prerelease: false },
    { name: 'ONE', tag_name: 'V1', prerelease: true },
  ],
  'package.published': [{ package: { name: 'P', package_type: 'NPM' }, version: '1' }],
  'package.deleted': [
    { package: { name: 'P', package_type: 'NPM' }, version: '1' },
    { package: { name: 'P', package_type: 'NPM' }, version: null },
  ],
  'file.locked': [{ path: 'FILE' }],
  'file.unlocked': [{ path: 'FILE' }],
  'wiki.updated': [
    ...['created', 'edited', 'deleted'].map((action) => ({ pages: [{ title: 'P', action }] })),
    { pages: [] },
    {
      pages: [
        { title: 'P', action: 'edited' },
        { title: 'Q', action: 'edited' },
      ],
    },
  ],
  'commit.status': ['pending', 'success', 'failure', 'error'].map((state) => ({
    sha: '757e628',
    context: 'CI',
    state,
  })),
  'workflow.completed': CONCLUSIONS.map((conclusion) => ({
    workflow: 'CI',
    conclusion,
    sha: '757e628',
  })),
  'deployment.waiting': [{ job: 'J', environment: 'E' }],
  'security.alert_opened': ['secret', 'code', 'dependency'].flatMap((kind) => [
    { kind, count: 1 },
    { kind, count: 3 },
  ]),
  'security.analysis_completed': [{ tool: 'T', sha: '757e628' }],
  'security.dependencies_reviewed': [
    { pull: 4, failing: 0 },
    { pull: 4, failing: 2 },
  ],
  'security.report_received': [{}],
  'security.advisory_published': [{ title: 'T' }],
  'queue.changed': [
    { number: 4, state: 'landed', reason: null, position: null },
    { number: 4, state: 'queued', reason: null, position: 2 },
    ...['testing', 'passed', 'landing'].map((state) => ({ number: 4, state, reason: null })),
    { number: 4, state: 'removed', reason: null },
    { number: 4, state: 'failed', reason: 'base_moved' },
    { number: 4, state: 'removed', reason: 'conflicts' },
  ],
  'backup.failed': [
    { what: 'create', error: 'E' },
    { what: 'verify', error: 'E' },
  ],
  'issue.triaged': [{ number: 4, proposals: 3 }],
}
