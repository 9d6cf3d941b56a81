/**
 * What waits to be told, and what of each event is worth telling. Events are named as text: some
 * belong to features that this one does not know.
 */
import type { EventRow } from '#core/events.ts'
import type { Reason } from './reasons.ts'
import type { SubjectOf } from './store.ts'
import type { Asking } from './store-subscriptions.ts'

export type Work =
  /** What one transaction did to one issue or pull request: its events, and whom it asked. */
  | {
      readonly kind: 'record'
      readonly repo_id: string
      readonly number: number
      readonly actor_id: string | null
      readonly events: readonly string[]
      readonly asked: readonly (readonly [string, Asking])[]
    }
  /** A comment was edited: it may mention somebody else now. */
  | {
      readonly kind: 'text'
      readonly repo_id: string
      readonly number: number
      readonly text_id: string
      readonly actor_id: string | null
    }
  /** Something that happened to a repository. */
  | { readonly kind: 'event'; readonly event_id: string }

export type Plan = {
  readonly about: SubjectOf
  readonly events: readonly string[]
  readonly text_id: string | null
  readonly people: readonly (readonly [string, Reason])[]
}

/** What an event means for those who follow an issue or pull request. */
export type RecordRule = {
  /** Whether everybody who follows it, or watches everything here, is told. */
  readonly tells: boolean
  /** Whether its description may be a new one. */
  readonly describes?: boolean
  /** Whether somebody else may be assigned or asked to review. */
  readonly asks?: boolean
  /** Told to whoever is behind it. */
  readonly fails?: Extract<Reason, 'checks_failed' | 'queue_failed'>
}

const says = (list: unknown, ...words: string[]): boolean =>
  Array.isArray(list) && words.some((word) => list.includes(word))

const RECORD_RULES: Readonly<Record<string, (data: Record<string, unknown>) => RecordRule | null>> =
  {
    'issue.opened': () => ({ tells: true, describes: true }),
    'issue.updated': ({ changed }) =>
      says(changed, 'body') ? { tells: false, describes: true } : null,
    'issue.assigned': () => ({ tells: false, asks: true }),
    'issue.closed': () => ({ tells: true }),
    'issue.reopened': () => ({ tells: true }),
    'comment.created': () => ({ tells: true }),
    'pull.opened': () => ({ tells: true, describes: true, asks: true }),
    'pull.ready': () => ({ tells: true, describes: true, asks: true }),
    'pull.updated': ({ changed }) =>
      says(changed, 'body', 'assignees', 'requested_reviewers')
        ? {
            tells: false,
            describes: says(changed, 'body'),
            asks: says(changed, 'assignees', 'requested_reviewers'),
          }
        : null,
    'pull.closed': () => ({ tells: true }),
    'pull.merged': () => ({ tells: true }),
    'checks.completed': ({ status }) =>
      status === 'failed' || status === 'errored' ? { tells: false, fails: 'checks_failed' } : null,
    'queue.changed': ({ state }) =>
      state === 'failed' || state === 'removed' ? { tells: false, fails: 'queue_failed' } : null,
  }

/** Null for what nobody is told of. */
export const recordRule = ({ type, data }: Pick<EventRow, 'type' | 'data'>): RecordRule | null =>
  typeof data['number'] === 'number' && Object.hasOwn(RECORD_RULES, type)
    ? (RECORD_RULES[type]?.(data) ?? null)
    : null

/** What is told of a repository as a whole: what it is, why, and to whom. */
export const EVENT_RULES: Readonly<
  Record<
    string,
    { readonly kind: string; readonly reason: Reason; readonly to: 'watchers' | 'keepers' }
  >
> = {
  'release.published': { kind: 'release', reason: 'subscribed', to: 'watchers' },
  'security.alert_opened': { kind: 'alert', reason: 'security_alert', to: 'keepers' },
  'security.report_received': { kind: 'report', reason: 'security_alert', to: 'keepers' },
  'deployment.waiting': { kind: 'run', reason: 'run_approval', to: 'keepers' },
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
