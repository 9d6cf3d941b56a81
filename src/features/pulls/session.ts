/**
 * Writing to a session, for clients and for the service alike. Entries are numbered without gaps,
 * so the number of entries is the last number. Those who wait for entries are woken for each
 * append; the timeline is told once a minute, because an agent at work appends all the time.
 */
import type { Hearth } from '#core/hearth.ts'
import { signal } from '#core/events.ts'
import { job } from '#core/jobs.ts'
import { Type } from '#core/schema.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { conflict } from '#lib/errors.ts'
import { MINUTE } from '#lib/time.ts'
import { contextOf, subjectOf } from './context.ts'
import { sessionAppended } from './events.ts'
import { findPullById, type PullRow } from './store.ts'
import {
  insertEntry,
  setAnsweredBy,
  setSession,
  setSessionTold,
  type EntryRow,
} from './store-sessions.ts'

/** Somebody reported in a session what work cost them, in dollars. */
export const sessionCost = signal(
  'session.cost',
  Type.Object({ pull_id: Type.String(), actor_id: Type.String(), cost_usd: Type.Number() }),
)

/**
 * In a session somebody asks and waits (`question`, its text cut short), or a question was answered
 * (`answer`, of the number).
 */
export const sessionAsked = signal(
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

const LONGEST_QUESTION = 500

export const MOST_ENTRIES = 100_000

export type NewEntry = Omit<EntryRow, 'pull_id' | 'seq'>

/** Adds an entry of the service's own. A session that is full goes without it. */
export function noteInSession(
  tx: Tx,
  pull_id: string,
  entry: { kind: string; text: string; data: Record<string, unknown> },
): void {
  const pull = findPullById(tx.db, pull_id)
  if (!pull || pull.session_entries >= MOST_ENTRIES) return
  appendEntries(tx, pull, [
    {
      kind: entry.kind,
      text: entry.text,
      tool: null,
      at: tx.now,
      author_id: null,
      sha: pull.head_sha,
      data: JSON.stringify(entry.data),
      truncated: 0,
      redacted: 0,
    },
  ])
}

/**
 * Adds entries and gives the last sequence number. Gives 409 `limit_reached` when the session is
 * full.
 */
export function appendEntries(
  tx: Tx,
  pull: PullRow,
  entries: readonly NewEntry[],
  cost = 0,
): number {
  const last_seq = pull.session_entries + entries.length
  if (last_seq > MOST_ENTRIES)
    throw conflict('limit_reached', `a session has at most ${MOST_ENTRIES} entries`, {
      last_seq: pull.session_entries,
    })
  entries.forEach((entry, at) =>
    insertEntry(tx, { ...entry, pull_id: pull.id, seq: pull.session_entries + at + 1 }),
  )
  setSession(tx, pull.id, {
    last_seq,
    cost: cost > 0 ? (pull.session_cost ?? 0) + cost : pull.session_cost,
  })
  entries.forEach(({ kind, text, data: json, author_id }, at) => {
    if (kind !== 'question' && kind !== 'answer') return
    const seq = pull.session_entries + at + 1
    const data = json === null ? {} : (JSON.parse(json) as Record<string, unknown>)
    if (kind === 'answer' && Number.isSafeInteger(data['of']))
      setAnsweredBy(tx, pull.id, Number(data['of']), seq)
    tx.signal(sessionAsked, {
      repo_id: pull.repo_id,
      number: pull.number,
      kind,
      seq,
      author_id,
      text: text.slice(0, LONGEST_QUESTION).toWellFormed(),
      data,
    })
  })
  tellLater(tx, pull)
  tx.afterCommit(() => wake(tx.hearth, pull.id))
  return last_seq
}

function tellLater(tx: Tx, pull: PullRow): void {
  const since = tx.now_ms - pull.session_told_at
  if (since >= MINUTE) tellOfSession(tx, pull.id)
  else tx.enqueue(announceSession, { pull_id: pull.id }, { key: pull.id, delay_ms: MINUTE - since })
}

/** Appends the event for all entries that none has told of yet. */
function tellOfSession(tx: Tx, pull_id: string, as?: { actor_id: string | null }): void {
  const pull = findPullById(tx.db, pull_id)
  if (!pull || pull.session_entries === pull.session_told_seq) return
  setSessionTold(tx, pull.id, pull.session_entries)
  const subject = subjectOf(contextOf(tx.db, pull.repo_id))
  tx.append(
    sessionAppended,
    subject,
    { number: pull.number, from_seq: pull.session_told_seq + 1, last_seq: pull.session_entries },
    as,
  )
}

/**
 * Tells of what was added within the minute after an event. The author's session, so the author is
 * the actor.
 */
export const announceSession = job<{ pull_id: string }>({
  kind: 'announce_session',
  run: ({ hearth }, { pull_id }) =>
    writeAs(hearth, null, (tx) =>
      tellOfSession(tx, pull_id, { actor_id: findPullById(tx.db, pull_id)?.author_id ?? null }),
    ),
})

const waiting = new WeakMap<Hearth, Map<string, Set<() => void>>>()

function wake(hearth: Hearth, pull_id: string): void {
  for (const listener of waiting.get(hearth)?.get(pull_id) ?? []) listener()
}

/**
 * Resolves when entries were added, when the time is over, or when any of the signals ends; leaves
 * nothing behind.
 */
export function untilAppended(
  hearth: Hearth,
  pull_id: string,
  milliseconds: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  let pulls = waiting.get(hearth)
  if (!pulls) waiting.set(hearth, (pulls = new Map()))
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
