import { readsRepo, type RepoGrant, RIGHTS_INTERVAL_MS } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation, type StreamEvent } from '#core/operation.ts'
import { afterOf, byAfter, keyPageOf } from '#core/page.ts'
import { ListOf, Type } from '#core/schema.ts'
import { loadActors, type ActorLookup } from '#features/accounts/index.ts'
import { isAuthor } from '#features/issues/index.ts'
import { notFound } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { contextOf, type Settings } from '../pull-context.ts'
import { onPull } from '../inputs.ts'
import { SessionEntry } from '../schema.ts'
import { waitForEntries } from './session.ts'
import { requirePull, type PullRow } from '../store-pulls.ts'
import { listEntryRows, type EntryRow } from './store-sessions.ts'
import { inSession } from '../untrusted-texts.ts'

const PAGE_SIZES = { size: 200, max: 1000 }
export const MAX_WAIT_SECONDS = 25

export const getSession = operation({
  name: 'get_session',
  summary:
    'The record of how a pull request was made: its entries after a sequence number, oldest first. With wait, an answer without entries is held back until one comes.',
  keywords: [
    'what did the agent do',
    'work of an agent on a pull request',
    'transcript',
    'agent log',
    'how was it made',
    'follow an agent',
    'read the record',
  ],
  route: 'GET /v1/repos/{owner}/{name}/pulls/{number}/session',
  toolset: 'pulls',
  aliases: ['get_session_entries'],
  list: 'after',
  listed: 'core',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object({
    ...onPull,
    kind: Type.Optional(Type.String({ maxLength: 32, description: 'Only entries of this kind.' })),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        description: 'Seconds to wait for an entry when there is none yet.',
      }),
    ),
    ...byAfter(PAGE_SIZES),
  }),
  output: ListOf(SessionEntry),
  untrusted: inSession,

  handler: async (
    { hearth, db, repo, caller, signal, currentGrant },
    { number, kind = null, wait = 0, ...paging },
  ) => {
    const pull = requireSession(hearth, repo, caller, number)
    const { after, limit } = afterOf(paging, PAGE_SIZES)
    const read = () => listEntryRows(db, pull.id, after, kind, limit + 1)
    const end = performance.now() + wait * SECOND
    let rows = read()
    // Entries of other kinds wake the wait as well, so it may have to continue.
    while (rows.length === 0 && !signal.aborted && !hearth.stopping.aborted) {
      const left = end - performance.now()
      if (left <= 0) break
      const wait_ms = Math.min(left, RIGHTS_INTERVAL_MS)
      await waitForEntries(hearth, pull.id, wait_ms, [signal, hearth.stopping])
      if (signal.aborted || hearth.stopping.aborted) break
      requireCurrent(hearth, currentGrant, number)
      rows = read()
    }
    const actor = loadActors(
      hearth,
      rows.map((row) => row.author_id),
    )
    return keyPageOf(
      rows.map((row) => entryRecord(row, actor)),
      limit,
      ({ seq }) => seq,
    )
  },
  lines: ({ hearth, repo, caller }, { number, kind = null, after = 0 }) =>
    entriesAfter(hearth, requireSession(hearth, repo, caller, number), after, kind),
  follow: (
    { hearth, repo, caller, signal, currentGrant },
    { number, kind = null, after = 0 },
    lastEventId,
  ) => {
    const pull = requireSession(hearth, repo, caller, number)
    const seen = /^\d{1,9}$/.test(lastEventId ?? '') ? Number(lastEventId) : after
    return followEntries(hearth, pull, {
      after: Math.max(after, seen),
      kind,
      signal,
      requireRight: () => requireCurrent(hearth, currentGrant, number),
    })
  },
})

/** Throws once the caller may no longer read the session. */
function requireCurrent(
  hearth: Hearth,
  currentGrant: () => { readonly repo: RepoGrant; readonly caller: Caller },
  number: number,
): void {
  const { repo, caller } = currentGrant()
  requireSession(hearth, repo, caller, number)
}

/** Entries are up to 64 KiB each, and a batch is in memory at once. */
const STREAM_BATCH = 50

type FollowOptions = {
  readonly after: number
  readonly kind: string | null
  readonly signal: AbortSignal
  /** Throws once the reader has lost the right. */
  readonly requireRight: () => void
}

/** The entries after a number, and further ones as they are added. */
async function* followEntries(
  hearth: Hearth,
  pull: PullRow,
  { after, kind, signal, requireRight }: FollowOptions,
): AsyncGenerator<StreamEvent | null> {
  const signals = [signal, hearth.draining]
  let checkedAt = performance.now()
  const requireRightInTime = (): void => {
    if (performance.now() - checkedAt < RIGHTS_INTERVAL_MS) return
    requireRight()
    checkedAt = performance.now()
  }
  for (let from = after; ; ) {
    if (signals.some(({ aborted }) => aborted)) return
    const rows = listEntryRows(hearth.db, pull.id, from, kind, STREAM_BATCH)
    const actor = loadActors(
      hearth,
      rows.map((row) => row.author_id),
    )
    for (const row of rows) {
      // A slow reader takes a batch for longer than a few seconds.
      requireRightInTime()
      yield { id: String(row.seq), event: 'entry', data: entryRecord(row, actor) }
      from = row.seq
    }
    if (rows.length === 0) {
      await waitForEntries(hearth, pull.id, RIGHTS_INTERVAL_MS, signals)
      yield null
    }
    requireRightInTime()
  }
}

/** The pull request, if the caller may read its session; throws 404 otherwise. */
function requireSession(hearth: Hearth, repo: RepoGrant, caller: Caller, number: number): PullRow {
  const pull = requirePull(hearth.db, repo.id, number)
  if (!maySeeSession(hearth, repo, caller, pull, contextOf(hearth.db, repo.id).settings))
    throw notFound(`the session of #${number}`)
  return pull
}

/** All entries after a number, read in batches as they are consumed. */
function* entriesAfter(
  hearth: Hearth,
  pull: PullRow,
  after: number,
  kind: string | null,
): Generator<SessionEntry> {
  let from = after
  for (;;) {
    const rows = listEntryRows(hearth.db, pull.id, from, kind, PAGE_SIZES.max)
    const actor = loadActors(
      hearth,
      rows.map((row) => row.author_id),
    )
    for (const row of rows) yield entryRecord(row, actor)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_SIZES.max) return
    from = last.seq
  }
}

/**
 * Whether a caller may read the session: those who may write to it, and others by the repository's
 * setting. `readers` means accounts that can read the repository.
 */
export function maySeeSession(
  hearth: Hearth,
  repo: RepoGrant,
  caller: Caller,
  pull: PullRow,
  settings: Settings,
): boolean {
  if (isAuthor(hearth, caller, pull.author_id)) return true
  if (settings.session_visibility === 'public') return !repo.private || caller.kind !== 'anonymous'
  if (settings.session_visibility === 'readers') return caller.kind !== 'anonymous'
  return (
    repo.workspace_role !== null || (caller.kind === 'workspace' && caller.id === repo.workspace_id)
  )
}

const entryRecord = (row: EntryRow, actor: ActorLookup): SessionEntry => ({
  seq: row.seq,
  kind: row.kind,
  text: row.text,
  tool: row.tool,
  at: row.at,
  author: row.author_id === null ? null : actor(row.author_id),
  sha: row.sha,
  data: row.data === null ? null : JSON.parse(row.data),
  truncated: row.truncated === 1,
  redacted: row.redacted === 1,
})
