/**
 * Work of notifications, and what each type of event means for them. Types are text, because some
 * belong to later features.
 */
import type { EventRow } from '#core/events.ts'
import type { Reason } from './reasons.ts'
import type { SubjectOf } from '../store.ts'
import type { RequestedPerson } from '../subscriptions/store-subscriptions.ts'

export type Work =
  /**
   * Events of one transaction about one issue or pull request, and the people that it requested.
   */
  | {
      readonly kind: 'record'
      readonly repo_id: string
      readonly number: number
      readonly actor_id: string | null
      readonly events: readonly string[]
      readonly asked: readonly (readonly [string, RequestedPerson])[]
    }
  /** An edited comment, which may mention new people. */
  | {
      readonly kind: 'text'
      readonly repo_id: string
      readonly number: number
      readonly text_id: string
      readonly actor_id: string | null
    }
  /** An event of a repository. */
  | { readonly kind: 'event'; readonly event_id: string }

export type Plan = {
  readonly about: SubjectOf
  readonly events: readonly string[]
  readonly text_id: string | null
  readonly people: readonly (readonly [string, Reason])[]
}

/** How an event about an issue or pull request notifies people. */
export type RecordRule = {
  /** Whether subscribers, and people who watch the repository, are notified. */
  readonly tells: boolean
  /** Whether the description may have changed. */
  readonly describes?: boolean
  /** Whether assignees or requested reviewers may have changed. */
  readonly asks?: boolean
  /** The reason for the people responsible for a failure. */
  readonly fails?: Extract<Reason, 'checks_failed' | 'queue_failed'>
}

const RecordEvent = (list: unknown, ...words: string[]): boolean =>
  Array.isArray(list) && words.some((word) => list.includes(word))

const RECORD_RULES: Readonly<Record<string, (data: Record<string, unknown>) => RecordRule | null>> =
  {
    'issue.opened': () => ({ tells: true, describes: true }),
    'issue.updated': ({ changed }) =>
      RecordEvent(changed, 'body') ? { tells: false, describes: true } : null,
    'issue.assigned': () => ({ tells: false, asks: true }),
    'issue.closed': () => ({ tells: true }),
    'issue.reopened': () => ({ tells: true }),
    'comment.created': () => ({ tells: true }),
    'pull.opened': () => ({ tells: true, describes: true, asks: true }),
    'pull.ready': () => ({ tells: true, describes: true, asks: true }),
    'pull.updated': ({ changed }) =>
      RecordEvent(changed, 'body', 'assignees', 'requested_reviewers')
        ? {
            tells: false,
            describes: RecordEvent(changed, 'body'),
            asks: RecordEvent(changed, 'assignees', 'requested_reviewers'),
          }
        : null,
    'pull.closed': () => ({ tells: true }),
    'pull.merged': () => ({ tells: true }),
    'checks.completed': ({ status }) =>
      status === 'failed' || status === 'errored' ? { tells: false, fails: 'checks_failed' } : null,
    'queue.changed': ({ state }) =>
      state === 'failed' || state === 'removed' ? { tells: false, fails: 'queue_failed' } : null,
  }

/** The rule of an event; null for one without notifications. */
export const recordRule = ({ type, data }: Pick<EventRow, 'type' | 'data'>): RecordRule | null =>
  typeof data.number === 'number' && Object.hasOwn(RECORD_RULES, type)
    ? (RECORD_RULES[type]?.(data) ?? null)
    : null

/** Events of a whole repository: the subject, the reason, and whom to notify. */
const EVENT_RULES: Readonly<
  Record<
    string,
    {
      readonly kind: string
      readonly reason: Reason
      readonly to: 'watchers' | 'followers' | 'keepers' | 'reviewers' | 'starter'
      /** Whether an event of the type notifies; all do without it. */
      readonly when?: (data: Record<string, unknown>) => boolean
    }
  >
> = {
  'release.published': { kind: 'release', reason: 'subscribed', to: 'watchers' },
  // Prereleases, snapshots and images of every push are published all day.
  'package.published': {
    kind: 'package',
    reason: 'subscribed',
    to: 'followers',
    when: ({ release }) => release === true,
  },
  'security.alert_opened': { kind: 'alert', reason: 'security_alert', to: 'keepers' },
  'security.report_received': { kind: 'report', reason: 'security_alert', to: 'keepers' },
  'deployment.waiting': { kind: 'run', reason: 'run_approval', to: 'reviewers' },
  'workflow.completed': {
    kind: 'run',
    reason: 'checks_failed',
    to: 'starter',
    when: ({ conclusion }) =>
      ['failure', 'timed_out', 'startup_failure'].includes(String(conclusion)),
  },
}

/** The rule of an event of a repository; null for one without notifications. */
export const eventRule = ({ type, data }: Pick<EventRow, 'type' | 'data'>) => {
  const rule = Object.hasOwn(EVENT_RULES, type) ? EVENT_RULES[type] : undefined
  return rule && rule.when?.(data) !== false ? rule : null
}

export const recordSubject = (
  repo_id: string,
  number: number,
  kind: 'issue' | 'pull',
): SubjectOf => ({
  repo_id,
  subject: `record ${repo_id} ${number}`,
  kind,
  number,
  subject_id: null,
  title: null,
  url: null,
})
