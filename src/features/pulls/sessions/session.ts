/**
 * Appends entries to a session, for clients and for the service. Entries are numbered without gaps,
 * so their count is the last number. Each append wakes waiting readers. The timeline gets one event
 * a minute, because a working agent appends all the time.
 */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { internalEvent } from '#core/events.ts'
import { job } from '#core/jobs.ts'
import { Type } from '#core/schema.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { requireRepo, secretFindings, secretProtectionOf } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import type { RedactedSecret } from '#lib/redact.ts'
import { MINUTE } from '#lib/time.ts'
import { contextOf, subjectOf } from '../pull-context.ts'
import { sessionAppended } from '../events.ts'
import { findPullById, type PullRow } from '../store-pulls.ts'
import {
  insertEntry,
  setAnsweredBy,
  setSession,
  setSessionReported,
  type EntryRow,
} from './store-sessions.ts'

/** Work on a pull request has cost US dollars, or work of an agent that has no pull request. */
export const costIncurred = internalEvent(
  'session.cost',
  Type.Object({
    repo_id: Type.String(),
    pull_id: Type.Union([Type.String(), Type.Null()]),
    actor_id: Type.String(),
    cost_usd: Type.Number(),
    /** Whether the forge counted it, or somebody with Write reports it. */
    isTrusted: Type.Boolean(),
  }),
)

/**
 * Costs have reached a cap, so the agents of the pull request must stop, and those that work in
 * these repositories: on pull requests into these branches, or on none.
 */
export const costCapReached = internalEvent(
  'session.cost_cap',
  Type.Object({
    pull_id: Type.Union([Type.String(), Type.Null()]),
    actor_id: Type.String(),
    why: Type.String(),
    repos: Type.Array(Type.Object({ id: Type.String(), bases: Type.Array(Type.String()) })),
  }),
)

/**
 * A session has a new `question`, with its text cut, or a new `answer` to the question with the
 * given number.
 */
export const sessionAsked = internalEvent(
  'session.asked',
  Type.Object({
    repo_id: Type.String(),
    number: Type.Integer(),
    kind: Type.Union([Type.Literal('question'), Type.Literal('answer')]),
    seq: Type.Integer(),
    author_id: Type.Union([Type.String(), Type.Null()]),
    text: Type.String(),
    data: Type.Record(Type.String(), Type.Unknown()),
  }),
)

const MAX_QUESTION_LENGTH = 500

const MAX_ENTRIES = 100_000

export type NewEntry = Omit<EntryRow, 'pull_id' | 'seq'> & {
  /** What was taken out of its text and data. */
  readonly secrets?: readonly RedactedSecret[]
}

/** Whether a session has no place for so many more entries. */
export const isSessionFull = ({ session_entries }: PullRow, more = 1): boolean =>
  session_entries + more > MAX_ENTRIES

/** Adds an entry of the service. A full session takes its cost alone. */
export function addServiceEntry(
  tx: Tx,
  pull_id: string,
  entry: { kind: string; text: string; data: Record<string, unknown> },
  cost = 0,
): void {
  const pull = findPullById(tx.db, pull_id)
  if (!pull || (isSessionFull(pull) && cost === 0)) return
  const stored: NewEntry = {
    kind: entry.kind,
    text: entry.text,
    tool: null,
    at: tx.now,
    author_id: null,
    sha: pull.head_sha,
    data: JSON.stringify(entry.data),
    truncated: 0,
    redacted: 0,
  }
  appendEntries(tx, pull, isSessionFull(pull) ? [] : [stored], cost)
}

/**
 * Adds entries and returns the last sequence number. Throws 409 `limit_reached` when the session is
 * full.
 */
export function appendEntries(
  tx: Tx,
  pull: PullRow,
  entries: readonly NewEntry[],
  cost = 0,
): number {
  const last_seq = pull.session_entries + entries.length
  if (isSessionFull(pull, entries.length))
    throw conflict('limit_reached', `a session has at most ${MAX_ENTRIES} entries`, {
      last_seq: pull.session_entries,
    })
  entries.forEach(({ secrets = [], ...entry }, at) => {
    const seq = pull.session_entries + at + 1
    insertEntry(tx, { ...entry, pull_id: pull.id, seq })
    if (secrets.length > 0) reportSecrets(tx, pull, seq, secrets)
  })
  setSession(tx, pull.id, {
    last_seq,
    cost: cost > 0 ? (pull.session_cost ?? 0) + cost : pull.session_cost,
  })
  entries.forEach(({ kind, text, data: json, author_id }, at) => {
    if (kind !== 'question' && kind !== 'answer') return
    const seq = pull.session_entries + at + 1
    const data = json === null ? {} : (JSON.parse(json) as Record<string, unknown>)
    if (kind === 'answer' && Number.isSafeInteger(data.of))
      setAnsweredBy(tx, pull.id, Number(data.of), seq)
    tx.emit(sessionAsked, {
      repo_id: pull.repo_id,
      number: pull.number,
      kind,
      seq,
      author_id,
      text: text.slice(0, MAX_QUESTION_LENGTH).toWellFormed(),
      data,
    })
  })
  scheduleSessionEvent(tx, pull)
  tx.afterCommit(() => wakeReaders(tx.hearth, pull.id))
  return last_seq
}

/** Has alerts opened for secrets that were taken out of an entry. */
function reportSecrets(
  tx: Tx,
  { repo_id, number }: PullRow,
  seq: number,
  secrets: readonly RedactedSecret[],
): void {
  const home = requireRepo(tx.db, repo_id)
  if (!secretProtectionOf(tx.db, home).secret_scanning) return
  const place = { path: `pull/${number}/session#entry-${seq}`, line: 1, commit: '' }
  for (const feature of secretFindings.all(tx.hearth))
    feature.record(
      tx,
      home,
      'session',
      secrets.map((secret) => ({ ...secret, ...place })),
    )
}

/** `pull` is as it was before the entries. Earlier ones that wait have their job already. */
function scheduleSessionEvent(tx: Tx, pull: PullRow): void {
  const since = tx.now_ms - pull.session_told_at
  if (since >= MINUTE) appendSessionEvent(tx, pull.id)
  else if (pull.session_entries === pull.session_told_seq)
    tx.enqueue(announceSession, { pull_id: pull.id }, { key: pull.id, delay_ms: MINUTE - since })
}

/** Appends one event for all entries since the last event. */
function appendSessionEvent(tx: Tx, pull_id: string, as?: { actor_id: string | null }): void {
  const pull = findPullById(tx.db, pull_id)
  if (!pull || pull.session_entries === pull.session_told_seq) return
  setSessionReported(tx, pull.id, pull.session_entries)
  const subject = subjectOf(contextOf(tx.db, pull.repo_id))
  tx.append(
    sessionAppended,
    subject,
    { number: pull.number, from_seq: pull.session_told_seq + 1, last_seq: pull.session_entries },
    as,
  )
}

/**
 * Appends the event for entries of the last minute. The actor is the author, because it is the
 * author's session.
 */
export const announceSession = job<{ pull_id: string }>({
  kind: 'announce_session',
  run: ({ hearth }, { pull_id }) =>
    writeAs(hearth, null, (tx) =>
      appendSessionEvent(tx, pull_id, {
        actor_id: findPullById(tx.db, pull_id)?.author_id ?? null,
      }),
    ),
})

/** The readers that wait for new entries, by pull request. */
const waitingReaders = service('session readers', () => new Map<string, Set<() => void>>())

function wakeReaders(hearth: Hearth, pull_id: string): void {
  for (const wake of waitingReaders(hearth).get(pull_id) ?? []) wake()
}

/** Resolves when entries were added, after the time, or when any of the signals is aborted. */
export function waitForEntries(
  hearth: Hearth,
  pull_id: string,
  milliseconds: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  const pulls = waitingReaders(hearth)
  const listeners = pulls.get(pull_id) ?? new Set()
  pulls.set(pull_id, listeners)
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', end)
      listeners.delete(end)
      if (listeners.size === 0) pulls.delete(pull_id)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    listeners.add(end)
    for (const signal of signals) {
      if (signal.aborted) return end()
      signal.addEventListener('abort', end)
    }
  })
}
