import { writesRepo } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { isAuthor } from '#features/issues/index.ts'
import { conflict, forbidden, invalid, Refusal } from '#lib/errors.ts'
import { DAY, parseTimestamp, timestamp, type Timestamp } from '#lib/time.ts'
import { onPull } from '../inputs.ts'
import { measuredAgents, sessionWriters } from '../extension-points.ts'
import { redactText, redactValue } from '#lib/redact.ts'
import { SessionEntryInput } from '../schema.ts'
import { appendEntries, costIncurred, type NewEntry } from './session.ts'
import { isActive, requirePull, type PullRow } from '../store-pulls.ts'
import { findEntry } from './store-sessions.ts'

const MAX_TEXT_LENGTH = 65_536
const MAX_DATA_BYTES = 16 * 1024
const MAX_BODY_BYTES = 4 * 1024 * 1024

export const appendSession = operation({
  name: 'append_session',
  summary:
    'Add 1 to 200 entries to the record of how a pull request was made; all or none. Its author, the person it acts for, or its agent. With expected_seq a retry adds nothing twice.',
  keywords: ['log what I did', 'record progress', 'write to the session', 'report steps', 'trace'],
  route: 'POST /v1/repos/{owner}/{name}/pulls/{number}/session',
  toolset: 'pulls',
  aliases: ['append_session_entries'],
  listed: 'core',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    entries: Type.Array(SessionEntryInput, {
      minItems: 1,
      maxItems: 200,
      description: 'In the order in which they happened.',
    }),
    expected_seq: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'The last sequence number that you know; 409 head_moved when there is a later one.',
      }),
    ),
  }),
  output: Type.Object({ appended: Type.Integer(), last_seq: Type.Integer() }),

  handler: ({ hearth, db, repo, caller, write, now_ms }, { number, entries, expected_seq }) => {
    const seen = requirePull(db, repo.id, number)
    const isOwn =
      isAuthor(hearth, caller, seen.author_id) ||
      sessionWriters.all(hearth).some((mayWrite) => mayWrite(db, seen, caller))
    if (!isOwn && !entries.every((entry) => isAddressedAnswer(db, seen, caller, entry))) {
      throw forbidden(
        'role',
        `only the author of #${number}, the person it acts for, or an agent at work on it may add to its session; others answer questions that name them`,
      )
    }
    if (Buffer.byteLength(JSON.stringify(entries)) > MAX_BODY_BYTES)
      throw new Refusal('too_large', 'the entries of one request have at most 4 MiB together', {
        field: 'entries',
      })
    requireNoUsage(hearth, caller, entries)
    const prepared = entries.map((entry, at) =>
      prepareEntry(entry, `entries[${at}]`, now_ms, caller.id),
    )
    const cost = entries.reduce((sum, entry) => sum + costOf(entry), 0)

    return write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      requireOpenSession(pull, tx.now_ms)
      if (expected_seq !== undefined && expected_seq !== pull.session_entries) {
        throw conflict(
          'head_moved',
          `the last entry is ${pull.session_entries}, not ${expected_seq}; read those after ${expected_seq}`,
          { last_seq: pull.session_entries },
        )
      }
      const last_seq = appendEntries(
        tx,
        pull,
        prepared.map((entry) => ({ ...entry, sha: entry.sha ?? pull.head_sha })),
        cost,
      )
      if (cost > 0)
        tx.emit(costIncurred, {
          repo_id: pull.repo_id,
          pull_id: pull.id,
          actor_id: caller.id,
          cost_usd: cost,
          isTrusted: repo.can('write'),
        })
      return { appended: prepared.length, last_seq }
    })
  },
})

/** Throws 422 for usage that an agent reports whose calls the forge counts itself. */
function requireNoUsage(
  hearth: Hearth,
  caller: SignedIn,
  entries: readonly SessionEntryInput[],
): void {
  const at = entries.findIndex(({ kind }) => kind === 'usage')
  if (at < 0 || !measuredAgents.all(hearth).some((isOne) => isOne(hearth.db, caller.id))) return
  throw invalid(
    `entries[${at}].kind`,
    'what this agent uses is counted by the forge; leave out entries of the kind usage',
  )
}

/** A person that a question names may answer it once, and write nothing else. */
function isAddressedAnswer(
  db: Db,
  pull: PullRow,
  caller: SignedIn,
  { kind, data }: SessionEntryInput,
): boolean {
  const of = data?.of
  const asked =
    caller.kind === 'user' && kind === 'answer' && Number.isSafeInteger(of)
      ? findEntry(db, pull.id, Number(of))
      : null
  if (asked?.kind !== 'question' || asked.data === null) return false
  const { to, answered_by } = JSON.parse(asked.data) as { to?: unknown; answered_by?: unknown }
  return (
    answered_by === undefined &&
    typeof to === 'string' &&
    to.replace(/^@/, '').toLowerCase() === caller.username
  )
}

/** A session stays open for a day after the pull request was settled. */
function requireOpenSession(pull: PullRow, now_ms: number): void {
  if (isActive(pull) || pull.closed_at === null || now_ms - Date.parse(pull.closed_at) <= DAY)
    return
  throw conflict('not_open', `#${pull.number} has been ${pull.status} for more than a day`, {
    status: pull.status,
  })
}

/** Times are RFC 3339 in UTC with milliseconds, so their text sorts as they do. */
const earlierOf = (a: Timestamp, b: Timestamp): Timestamp => {
  if (a < b) return a
  return b
}

/** Secrets are masked before the text is cut, so that no part of one remains. */
function prepareEntry(
  entry: SessionEntryInput,
  field: string,
  now_ms: number,
  author_id: string,
): NewEntry {
  if (entry.kind === 'tool' && !entry.tool)
    throw invalid(`${field}.tool`, 'an entry of the kind tool names the tool that was used')
  const at = entry.at == null ? timestamp(now_ms) : parseTimestamp(entry.at)
  if (at === null)
    throw invalid(
      `${field}.at`,
      `${field}.at must be an RFC 3339 time, such as ${timestamp(now_ms)}`,
    )
  const text = redactText(entry.text.toWellFormed().replaceAll('\0', '\uFFFD'))
  const data = redactValue(entry.data ?? null)
  const json = data.value === null ? null : JSON.stringify(data.value)
  if (json !== null && Buffer.byteLength(json) > MAX_DATA_BYTES)
    throw invalid(`${field}.data`, `${field}.data has at most 16 KiB of JSON`)
  return {
    kind: entry.kind,
    text: cutText(text.text),
    tool: entry.tool ?? null,
    at: earlierOf(at, timestamp(now_ms)),
    author_id,
    sha: entry.sha ?? null,
    data: json,
    truncated: text.text.length > MAX_TEXT_LENGTH ? 1 : 0,
    redacted: text.redacted || data.redacted ? 1 : 0,
    secrets: [...text.secrets, ...data.secrets],
  }
}

/** Cuts a text without splitting a character. */
const cutText = (text: string): string =>
  text.length <= MAX_TEXT_LENGTH
    ? text
    : text.slice(0, MAX_TEXT_LENGTH).replace(/[\uD800-\uDBFF]$/, '')

/** The cost of a usage entry in US dollars; 0 for an invalid value. */
function costOf({ kind, data }: SessionEntryInput): number {
  const cost = kind === 'usage' ? data?.cost_usd : undefined
  return typeof cost === 'number' && Number.isFinite(cost) && cost > 0
    ? Math.min(cost, 1_000_000)
    : 0
}
