import { readsRepo, type RepoGrant } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { afterOf, byAfter, keyPageOf } from '#core/page.ts'
import { ListOf, Type } from '#core/schema.ts'
import { actorLookup, isAuthor } from '#features/issues/index.ts'
import { notFound } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { contextOf, type Settings } from './context.ts'
import { onPull } from './inputs.ts'
import { SessionEntry } from './schema.ts'
import { untilAppended } from './session.ts'
import { requirePull, type PullRow } from './store.ts'
import { listEntryRows, type EntryRow } from './store-sessions.ts'
import { inSession } from './untrusted.ts'

const SIZES = { size: 200, max: 1000 }
export const LONGEST_WAIT = 25

export const getSession = operation({
  name: 'get_session',
  summary:
    'The record of how a pull request was made: its entries after a sequence number, oldest first. With wait, an answer without entries is held back until one comes.',
  route: 'GET /v1/repos/{owner}/{name}/pulls/{number}/session',
  toolset: 'pulls',
  aliases: ['get_session_entries'],
  list: 'after',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object({
    ...onPull,
    kind: Type.Optional(Type.String({ maxLength: 32, description: 'Only entries of this kind.' })),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LONGEST_WAIT,
        description: 'Seconds to wait for an entry when there is none yet.',
      }),
    ),
    ...byAfter(SIZES),
  }),
  output: ListOf(SessionEntry),
  untrusted: inSession,

  handler: async (
    { hearth, db, repo, caller, signal },
    { number, kind = null, wait = 0, ...paging },
  ) => {
    const pull = requireSession(hearth, repo, caller, number)
    const { after, limit } = afterOf(paging, SIZES)
    const read = () => listEntryRows(db, pull.id, after, kind, limit + 1)
    const end = performance.now() + wait * SECOND
    let rows = read()
    // Entries of another kind wake the waiting too, so it may have to go on waiting.
    while (rows.length === 0 && !signal.aborted && !hearth.stopping.aborted) {
      const left = end - performance.now()
      if (left <= 0) break
      await untilAppended(hearth, pull.id, left, [signal, hearth.stopping])
      if (!signal.aborted && !hearth.stopping.aborted) rows = read()
    }
    const actor = actorLookup(
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
})

/** The pull request whose session the caller may read; 404 for others. */
function requireSession(hearth: Hearth, repo: RepoGrant, caller: Caller, number: number): PullRow {
  const pull = requirePull(hearth.db, repo.id, number)
  if (!maySeeSession(hearth, repo, caller, pull, contextOf(hearth.db, repo.id).settings))
    throw notFound(`the session of #${number}`)
  return pull
}

/** All entries after a number, read in pieces as they are taken. */
function* entriesAfter(
  hearth: Hearth,
  pull: PullRow,
  after: number,
  kind: string | null,
): Generator<SessionEntry> {
  let from = after
  for (;;) {
    const rows = listEntryRows(hearth.db, pull.id, from, kind, SIZES.max)
    const actor = actorLookup(
      hearth,
      rows.map((row) => row.author_id),
    )
    for (const row of rows) yield entryRecord(row, actor)
    const last = rows.at(-1)
    if (!last || rows.length < SIZES.max) return
    from = last.seq
  }
}

/**
 * Whoever writes to it may read it; for others the repository's setting decides. `readers` are
 * those with an account.
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

const entryRecord = (row: EntryRow, actor: ReturnType<typeof actorLookup>): SessionEntry => ({
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
