/** Records of issues, comments, labels and milestones. */
import {
  Actor,
  Id,
  Nullable,
  OneOf,
  restName,
  Time,
  toolRecord,
  Type,
  type Static,
} from '#core/schema.ts'

export const ISSUE_STATES = ['open', 'closed'] as const
export const CLOSE_REASONS = ['completed', 'not_planned'] as const
/** Proposed reasons of a lock. Any other short text is accepted too. */
export const LOCK_REASONS: readonly string[] = ['off_topic', 'too_heated', 'resolved', 'spam']
export const PULL_STATUSES = ['draft', 'open', 'closed', 'merged'] as const
export const REACTIONS = [
  '+1',
  '-1',
  'laugh',
  'hooray',
  'confused',
  'heart',
  'rocket',
  'eyes',
] as const

export const RECORD_SORTS = ['created', 'updated', 'comments'] as const
export const SORT_DIRECTIONS = ['desc', 'asc'] as const
/** What a record in a list may be without. */
export const RECORD_LACKS = ['label', 'assignee', 'milestone'] as const

export type RecordSort = (typeof RECORD_SORTS)[number]
export type SortDirection = (typeof SORT_DIRECTIONS)[number]
export type RecordLack = (typeof RECORD_LACKS)[number]
export type CloseReason = (typeof CLOSE_REASONS)[number]
export type PullStatus = (typeof PULL_STATUSES)[number]
export type ReactionContent = (typeof REACTIONS)[number]

export const Label = Type.Object(
  {
    id: Id('lbl'),
    name: Type.String(),
    color: Type.String({ pattern: '^[0-9a-f]{6}$', description: 'Six lowercase hex digits.' }),
    description: Nullable(Type.String()),
    issues_count: Type.Integer({ description: 'Open issues that carry it.' }),
    created_at: Time,
  },
  { $id: 'Label', description: 'A label of a repository, for issues and pull requests.' },
)
export type Label = Static<typeof Label>

export const Assignee = Type.Object(
  {
    id: Type.String(),
    kind: OneOf(['user', 'agent']),
    username: Type.String(),
    name: Nullable(Type.String()),
    avatar_url: Type.String(),
  },
  { $id: 'Assignee', description: 'A person or an agent that can be assigned.' },
)
export type Assignee = Static<typeof Assignee>

export const Milestone = Type.Object(
  {
    id: Id('mls'),
    title: Type.String(),
    description: Nullable(Type.String()),
    state: OneOf(ISSUE_STATES),
    due_on: Nullable(Time),
    open_count: Type.Integer(),
    closed_count: Type.Integer(),
    created_at: Time,
    closed_at: Nullable(Time),
  },
  { $id: 'Milestone', description: 'A goal that issues are grouped under.' },
)
export type Milestone = Static<typeof Milestone>

export const IssueMilestone = Type.Object({
  id: Id('mls'),
  title: Type.String(),
  due_on: Nullable(Time),
  state: OneOf(ISSUE_STATES),
})
export type IssueMilestone = Static<typeof IssueMilestone>

export const Issue = Type.Object(
  {
    id: Id('iss'),
    number: Type.Integer(),
    repo: Type.String({ description: 'The repository as <owner>/<name>.' }),
    title: Type.String(),
    body: Type.String({ description: 'Markdown.' }),
    labels: Type.Array(Type.String(), { description: 'Names, in alphabetical order.' }),
    checks: Type.Array(Type.String(), {
      description: 'Commands that must pass for a pull request to be accepted.',
    }),
    assignees: Type.Array(Assignee),
    milestone: Nullable(IssueMilestone),
    blocked_by: Type.Array(Type.Integer(), { description: 'Issues that must close first.' }),
    state: OneOf(ISSUE_STATES),
    reason: Type.Union([OneOf(CLOSE_REASONS), Type.Null()], {
      description: 'How it was closed; null while open.',
    }),
    resolved_by: Type.Union([Type.Integer(), Type.Null()], {
      ...restName('resolvedBy'),
      description: 'The pull request whose merge closed it.',
    }),
    author: Actor,
    comments_count: Type.Integer(),
    pulls: Type.Array(Type.Object({ number: Type.Integer(), status: OneOf(PULL_STATUSES) }), {
      description: 'Pull requests made for it, newest first.',
    }),
    locked: Type.Boolean(),
    lock_reason: Nullable(
      Type.String({ description: `A short text, such as ${LOCK_REASONS.join(', ')}.` }),
    ),
    html_url: Type.String(),
    created_at: Time,
    updated_at: Time,
    closed_at: Nullable(Time),
    closed_by: Nullable(Actor),
  },
  {
    $id: 'Issue',
    description: 'An issue.',
    ...toolRecord({
      follows: ['repo'],
      usual: { assignees: [], checks: [], blocked_by: [], locked: false },
    }),
  },
)
export type Issue = Static<typeof Issue>

/**
 * A pull request in the detail of its issue. The two optional fields are left out without a value.
 */
export const IssuePull = Type.Object({
  number: Type.Integer(),
  status: OneOf(PULL_STATUSES),
  title: Type.String(),
  author: Actor,
  agent: Nullable(Type.String({ description: 'The agent that works on it.' })),
  created_at: Time,
  updated_at: Time,
  superseded_by: Type.Optional(
    Type.Integer({
      ...restName('supersededBy'),
      description: 'The merged pull request that closed this one.',
    }),
  ),
  merged_by: Type.Optional(
    Type.String({ ...restName('mergedBy'), description: 'Who merged it, a username.' }),
  ),
})
export type IssuePull = Static<typeof IssuePull>

const count = Type.Integer({ minimum: 0 })
export const ReactionCounts = Type.Object(
  {
    '+1': count,
    '-1': count,
    laugh: count,
    hooray: count,
    confused: count,
    heart: count,
    rocket: count,
    eyes: count,
  },
  toolRecord({ usual: Object.fromEntries(REACTIONS.map((reaction) => [reaction, 0])) }),
)
export type ReactionCounts = Static<typeof ReactionCounts>

export const Suggestion = Type.Object({
  text: Type.String({ description: 'What the lines should become.' }),
  start_line: Type.Integer(),
  line: Type.Integer(),
  applied_in: Nullable(Type.String({ description: 'The commit that took it.' })),
})
export type Suggestion = Static<typeof Suggestion>

export const Comment = Type.Object(
  {
    id: Id('cmt'),
    number: Type.Integer({ description: 'The issue or pull request it is on.' }),
    body: Type.String({ description: 'Markdown.' }),
    author: Actor,
    path: Nullable(Type.String()),
    line: Nullable(Type.Integer({ description: 'From 1.' })),
    start_line: Nullable(Type.Integer()),
    side: Nullable(OneOf(['new', 'old'])),
    commit: Nullable(Type.String({ description: 'The head commit it was made on.' })),
    outdated: Type.Boolean({ description: 'The line is no longer in the change.' }),
    resolved: Type.Boolean(),
    resolved_by: Nullable(Actor),
    in_reply_to: Nullable(Type.String({ description: 'The first comment of the thread.' })),
    review: Nullable(Type.String()),
    suggestion: Nullable(Suggestion),
    reactions: ReactionCounts,
    html_url: Type.String(),
    created_at: Time,
    updated_at: Time,
  },
  {
    $id: 'Comment',
    description: 'A comment on an issue or pull request.',
    ...toolRecord({
      follows: ['number'],
      usual: { outdated: false, resolved: false, reactions: {} },
      same: { updated_at: 'created_at' },
    }),
  },
)
export type Comment = Static<typeof Comment>

export const IssueDetail = Type.Object(
  {
    issue: Issue,
    pulls: Type.Array(IssuePull, { description: 'Pull requests made for it, newest first.' }),
    comments: Type.Array(Comment, {
      description: 'The first 100, oldest first; list_comments gives the rest.',
    }),
    comments_count: Type.Integer(),
  },
  { $id: 'IssueDetail', description: 'An issue with its pull requests and first comments.' },
)
export type IssueDetail = Static<typeof IssueDetail>

const { comments: _comments, ...issueOverview } = IssueDetail.properties
export const IssueOverview = Type.Object(issueOverview)
export type IssueOverview = Static<typeof IssueOverview>
