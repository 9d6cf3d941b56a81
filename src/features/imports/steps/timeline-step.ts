/**
 * Reactions to issues and pull requests themselves, and what happened to them: events of the past,
 * with their time and person. Nothing reacts to them.
 */
import type { Static, TObject, TProperties } from 'typebox'
import { insertPastEvent, type EventType } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import {
  importBlockers,
  importRecordReactions,
  issueAssigned,
  issueClosed,
  issueReopened,
  issueUpdated,
  referenceImported,
} from '#features/issues/index.ts'
import { findPull, pullClosed, pullMerged, pullReady, pullUpdated } from '#features/pulls/index.ts'
import { timestamp } from '#lib/time.ts'
import type {
  ForeignChange,
  ForeignEvent,
  ForeignPerson,
  ForeignReaction,
  RecordRef,
} from '../forges/forge.ts'
import { personId, shownName } from '../people.ts'
import { findItem, insertItem, listNumbersAfter } from '../store-steps.ts'
import { isUnreadable, reactionsOf, readByRecord, type Unreadable } from './comment-steps.ts'
import type { ListStep, StepContext } from './context.ts'
import { orderOf } from './record-steps.ts'

/** Further events of one record are left out. */
const MAX_EVENTS = 2000
const MAX_TITLE = 256
/** Each needs two requests or more, and what was read since the last page is lost with the process. */
const RECORDS_PER_PAGE = 5

type PlacedEvent = {
  readonly record: RecordRef
  readonly event: ForeignEvent
  /** All who are assigned after this event. */
  readonly assignees: readonly ForeignPerson[]
}
type Entry =
  | PlacedEvent
  | { readonly record: RecordRef; readonly reactions: readonly ForeignReaction[] }
  | { readonly record: RecordRef; readonly blocked_by: readonly number[] }

/** Adds who was assigned after each event. */
function entriesOf(record: RecordRef, events: readonly ForeignEvent[]): Entry[] {
  const assigned = new Map<string, ForeignPerson>()
  return events.slice(0, MAX_EVENTS).map((event) => {
    const { change } = event
    if (change.kind === 'assignees') {
      for (const person of change.removed) assigned.delete(person.id)
      for (const person of change.added) assigned.set(person.id, person)
    }
    return { record, event, assignees: [...assigned.values()] }
  })
}

type Values = Record<string, { from: string[]; to: string[] }>
type Told = { readonly fields: readonly string[]; readonly values?: Values }

const listOf = (text: string | null): string[] =>
  text === null || text === '' ? [] : [text.slice(0, MAX_TITLE)]

/** A change of fields, as the events of updates tell it; null for other changes. */
function toldAs(tx: Tx, { people }: StepContext, change: ForeignChange): Told | null {
  const of = (field: string, from: string[], to: string[]): Told => ({
    fields: [field],
    values: { [field]: { from, to } },
  })
  const names = (persons: readonly ForeignPerson[]): string[] =>
    persons.map((person) => shownName(tx, people, person))
  switch (change.kind) {
    case 'labels':
      return of('labels', [...change.removed], [...change.added])
    case 'assignees':
      return of('assignees', names(change.removed), names(change.added))
    case 'milestone':
    case 'title':
    case 'base':
      return of(change.kind, listOf(change.from), listOf(change.to))
    case 'locked':
    case 'unlocked':
      return { fields: ['locked'] }
    case 'draft':
      return { fields: ['status'] }
    default:
      return null
  }
}

/** An event of this forge, without its time and person. */
type Past = { readonly type: EventType; readonly data: Record<string, unknown> }

const past = <P extends TProperties>(type: EventType<P>, data: Static<TObject<P>>): Past => ({
  type: type as unknown as EventType,
  data: data as Record<string, unknown>,
})

function pastOfIssue(
  number: number,
  change: ForeignChange,
  told: Told | null,
  assignees: string[],
): Past | null {
  if (told !== null) {
    const values = told.values ? { values: told.values } : {}
    return change.kind === 'assignees'
      ? past(issueAssigned, { number, assignees, ...values })
      : past(issueUpdated, { number, changed: [...told.fields], ...values })
  }
  if (change.kind === 'reopened') return past(issueReopened, { number })
  if (change.kind !== 'closed') return null
  const reason = change.not_planned ? 'not_planned' : 'completed'
  return past(issueClosed, { number, reason, resolved_by: null })
}

const OID = /^[0-9a-f]{40}$/

function pastOfPull(
  number: number,
  change: ForeignChange,
  told: Told | null,
  merge: { readonly by: string; readonly commit: string | null },
): Past | null {
  const pull = { number, issue: null }
  const shown = change.kind === 'reopened' ? { fields: ['status'] } : told
  if (shown !== null) {
    const values = shown.values ? { values: shown.values } : {}
    return past(pullUpdated, { ...pull, changed: [...shown.fields], head: null, ...values })
  }
  if (change.kind === 'ready') return past(pullReady, pull)
  if (change.kind === 'closed') return past(pullClosed, { ...pull, superseded_by: null })
  if (change.kind !== 'merged') return null
  const commit = change.commit !== null && OID.test(change.commit) ? change.commit : merge.commit
  return commit === null
    ? null
    : past(pullMerged, { ...pull, commit, method: null, merged_by: merge.by })
}

/** Stores that another record names this one. Returns whether that record is here. */
function placeReference(
  tx: Tx,
  { repo }: StepContext,
  number: number,
  by: number,
  { actor_id, at_ms }: { actor_id: string; at_ms: number },
): boolean {
  if (listNumbersAfter(tx.db, repo.id, null, by - 1, 1)[0]?.number !== by) return false
  const at = timestamp(at_ms)
  tx.emit(referenceImported, { repo_id: repo.id, number: by, target: number, actor_id, at })
  return true
}

function placeEvent(tx: Tx, context: StepContext, { record, event, assignees }: PlacedEvent): void {
  const { repo, people } = context
  const { number, kind } = record
  const { change } = event
  if (findItem(tx.db, repo.id, 'event', event.id) !== null) return
  const at_ms = Math.min(event.at_ms, tx.now_ms)
  const actor_id = personId(tx, people, event.person)
  if (change.kind === 'referenced') {
    if (placeReference(tx, context, number, change.by, { actor_id, at_ms }))
      insertItem(tx, repo.id, 'event', event.id, String(change.by))
    return
  }
  const told = toldAs(tx, context, change)
  const names = assignees.map((person) => shownName(tx, people, person))
  const found =
    kind === 'issue'
      ? pastOfIssue(number, change, told, names)
      : pastOfPull(number, change, told, {
          by: shownName(tx, people, event.person),
          // Some forges do not say in the timeline which commit it was.
          commit: findPull(tx.db, repo.id, number)?.merge_commit_sha ?? null,
        })
  if (found === null) return
  const subject = { workspace_id: repo.workspace_id, repo_id: repo.id }
  const id = insertPastEvent(tx, found.type, subject, found.data, {
    actor_id,
    at_ms,
    order: orderOf(event.id),
  })
  insertItem(tx, repo.id, 'event', event.id, id)
}

export const timelineStep: ListStep<Entry | Unreadable> = {
  name: 'timeline',
  read: (context, cursor) =>
    readByRecord<Entry>(
      context,
      null,
      cursor,
      async (record) => {
        const { reactions, events, blocked_by = [] } = await context.forge.historyOf(record)
        return [
          ...(reactions.length === 0 ? [] : [{ record, reactions }]),
          ...(blocked_by.length === 0 ? [] : [{ record, blocked_by }]),
          ...entriesOf(record, events),
        ]
      },
      RECORDS_PER_PAGE,
    ),
  place: (tx, context, entry) => {
    if (isUnreadable(entry)) return entry.unreadable
    if ('event' in entry) placeEvent(tx, context, entry)
    else if ('blocked_by' in entry)
      importBlockers(tx, context.repo.id, entry.record.number, entry.blocked_by)
    else
      importRecordReactions(
        tx,
        context.repo.id,
        entry.record.number,
        reactionsOf(tx, context, entry.reactions),
      )
    return null
  },
}
