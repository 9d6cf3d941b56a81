/** Records of notifications, subscriptions and settings. */
import {
  Actor,
  Id,
  ListOf,
  Nullable,
  OneOf,
  RecordNumber,
  Time,
  toolRecord,
  Type,
  type Static,
} from '#core/schema.ts'
import { REASONS } from './delivery/reasons.ts'

export type { Reason } from './delivery/reasons.ts'

export const LEVELS = ['participating', 'all', 'releases', 'ignored'] as const
export type Level = (typeof LEVELS)[number]
export const DIGESTS = ['off', 'hourly', 'daily'] as const
export type Digest = (typeof DIGESTS)[number]

export const ReasonWord = OneOf(REASONS, { description: 'Why you are told.' })

const Subject = Type.Object(
  {
    kind: Type.String({
      description:
        'issue, pull, question, invitation, release, alert, run or another word for what it is about.',
    }),
    repo: Nullable(Type.String({ description: 'The repository as <owner>/<name>.' })),
    number: Nullable(Type.Integer({ description: 'Of an issue or pull request.' })),
    id: Nullable(Type.String({ description: 'Of what has no number.' })),
    title: Type.String(),
    url: Type.String(),
    state: Nullable(Type.String({ description: 'open, closed, merged or draft.' })),
    review: Nullable(OneOf(['approved', 'changes_requested'])),
    checks: Nullable(OneOf(['pending', 'passed', 'failed'])),
  },
  toolRecord({ follows: ['url'] }),
)

export const Notification = Type.Object(
  {
    id: Id('ntf'),
    reason: ReasonWord,
    unread: Type.Boolean(),
    done: Type.Boolean({ description: 'Put away; it comes back when something new happens.' }),
    subject: Subject,
    repo: Nullable(Type.String({ description: 'The repository as <owner>/<name>.' })),
    happened: Nullable(
      Type.Object({
        actor: Nullable(Actor),
        summary: Type.String(),
        excerpt: Nullable(Type.String({ description: 'The beginning of the text.' })),
      }),
    ),
    last_event: Nullable(
      Type.String({
        description: 'The newest event that it tells of; null for what leaves no event.',
      }),
    ),
    updated_at: Time,
    created_at: Time,
  },
  {
    $id: 'Notification',
    description: 'Something that you are told of, one for each subject.',
    ...toolRecord({
      follows: ['repo'],
      usual: { done: false },
      same: { updated_at: 'created_at' },
    }),
  },
)
export type Notification = Static<typeof Notification>
export const Notifications = ListOf(Notification)

export const Subscription = Type.Object(
  {
    level: OneOf(LEVELS, {
      description:
        'participating: what concerns you; all: everything; releases: what concerns you, and releases; ignored: nothing.',
    }),
    repo: Type.String(),
    created_at: Nullable(
      Type.String({
        format: 'date-time',
        description: 'When the level was chosen; null while it is the usual one.',
      }),
    ),
  },
  { $id: 'Subscription', description: 'What you hear of a repository.' },
)
export type Subscription = Static<typeof Subscription>

export const IssueSubscription = Type.Object(
  {
    repo: Type.String(),
    number: RecordNumber,
    subscribed: Type.Boolean(),
    reason: Nullable(
      OneOf(
        [
          'author',
          'assigned',
          'review_requested',
          'mention',
          'team_mention',
          'commented',
          'subscribed',
        ],
        { description: 'Why; null when you are not.' },
      ),
    ),
    created_at: Nullable(Time),
  },
  { $id: 'IssueSubscription', description: 'Whether you hear of an issue or pull request.' },
)
export type IssueSubscription = Static<typeof IssueSubscription>

export const CrossReference = Type.Object(
  {
    repo: Type.String({ description: 'Where it is mentioned.' }),
    number: RecordNumber,
    kind: OneOf(['issue', 'pull']),
    title: Type.String(),
    open: Type.Boolean(),
    actor: Nullable(Actor),
    html_url: Type.String(),
    created_at: Time,
  },
  { $id: 'CrossReference', description: 'A place that mentions an issue, pull request or commit.' },
)
export type CrossReference = Static<typeof CrossReference>

export const NotificationSettings = Type.Object(
  {
    mail: Type.Array(Type.Object({ reason: ReasonWord, on: Type.Boolean() })),
    digest: OneOf(DIGESTS),
    email: Type.String({ description: 'Where mail goes.' }),
    verified: Type.Boolean({
      description: 'Nothing is mailed to an address that is not confirmed.',
    }),
    feed_token: Nullable(Type.Object({ created_at: Time })),
  },
  { $id: 'NotificationSettings' },
)
export type NotificationSettings = Static<typeof NotificationSettings>
