/**
 * Keeps access tokens out of repositories. With `push_protection` a push that adds one is refused
 * before any ref moves. Without it, and for what is too long to look through while somebody waits,
 * a job looks afterwards; a token that it finds is revoked.
 */
import type { Oid } from '#git'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { revokeLeaked } from '#features/accounts/index.ts'
import { fullNameOf } from './facts.ts'
import { auditRepo } from './lifecycle.ts'
import { leaksIn, type Leak, type Range } from './leaks.ts'
import { branchOf, branchRef } from './ref-names.ts'
import { settingsOf } from './settings.ts'
import { repoById, type RepoRow } from './store.ts'
import { readRef } from './store-refs.ts'

/** What is looked through while the push waits; the rest is left to the job. */
const WHILE_WAITING = { commits: 1000, bytes: 64 * 1024 ** 2, matches: 10_000 }
/** What looks like a token in one push is at most so much; memory is finite. */
const MOST_MATCHES = 100_000
/** Commits with tokens for which it is worked out which refs hold them. */
const MOST_TRACED = 20
/** Commits from which the rest of a history is known are at most so many. */
const MOST_HIDDEN = 200

/** A fork of a pull request is held to the settings of the repository it is for. */
const settingsFor = (db: Db, row: RepoRow) =>
  settingsOf((row.parent_id === null ? null : repoById(db, row.parent_id)) ?? row)

/**
 * What was here before: where the moved branches were, and the default branches of the repository
 * and of what it is a fork of.
 */
export function knownTips(db: Db, row: RepoRow, names: readonly string[]): Oid[] {
  const parent = row.parent_id === null ? null : repoById(db, row.parent_id)
  const trunks = [row, parent].map(
    (repo) => repo && readRef(db, repo.id, branchRef(repo.default_branch)),
  )
  const olds = names
    .filter((name) => branchOf(name) !== null)
    .map((name) => readRef(db, row.id, name))
  return [...new Set([...trunks, ...olds])].filter((oid) => oid !== null).slice(0, MOST_HIDDEN)
}

export type Scan = {
  /** Why the push is refused, in one line that does not show the secret. */ readonly refused:
    | string
    | null /** Whether a job has to look through it. */
  readonly later: boolean
}

/** A ref of a push, and the commit that it leads to. */
export type ScannedMove = { readonly name: string; readonly tip: Oid }
export type ScanOfMoves = {
  /** Why refs are refused, by their names. */ readonly refused: ReadonlyMap<string, string>
  readonly later: boolean
}

type Needs = Pick<Hearth, 'db' | 'git'>

/**
 * Looks through what all refs of a push gain together, as far as that can be done while somebody
 * waits; each ref has its own verdict.
 */
export async function scanMoves(
  { db, git }: Needs,
  row: RepoRow,
  moves: readonly ScannedMove[],
  hide: readonly Oid[],
): Promise<ScanOfMoves> {
  const { push_protection, secret_scanning } = settingsFor(db, row)
  const refused = new Map<string, string>()
  if (moves.length === 0) return { refused, later: false }
  if (!push_protection) return { refused, later: secret_scanning }
  const tips = [...new Set(moves.map(({ tip }) => tip))]
  const { leaks, complete } = await leaksIn(git, row.store, { tips, hide }, WHILE_WAITING)
  const byCommit = new Map<Oid, Leak>()
  for (const leak of leaks) if (!byCommit.has(leak.commit)) byCommit.set(leak.commit, leak)
  let traced = 0
  for (const [commit, leak] of byCommit) {
    // Where there are very many, refs without any are not told apart.
    const all = ++traced > MOST_TRACED
    for (const { name, tip } of moves) {
      if (
        !refused.has(name) &&
        (all || tip === commit || (await git.isReachable(row.store, commit, [tip])))
      )
        refused.set(name, refusal(leak))
    }
    if (all) break
  }
  return { refused, later: secret_scanning && !complete }
}

/** The same for one ref. */
export async function scanBefore(
  hearth: Needs,
  row: RepoRow,
  { tips, hide }: Range,
): Promise<Scan> {
  const { refused, later } = await scanMoves(
    hearth,
    row,
    tips.map((tip) => ({ name: tip, tip })),
    hide,
  )
  const [first] = refused.values()
  return { refused: first ?? null, later }
}

const refusal = ({ path, line, commit }: Leak): string =>
  `${path.replace(/[\x00-\x1f\x7f]/g, '?').slice(0, 300)}:${line} holds an access token (commit ${commit.slice(0, 7)}): take it out of the commit, and revoke it if anyone else has seen it`

/** Looks through what was pushed, and revokes what it finds. */
export const scanPush = job<Range & { repo_id: string }>({
  kind: 'scan_push',
  run: async ({ hearth, signal }, { repo_id, tips, hide }) => {
    const row = repoById(hearth.db, repo_id)
    if (!row) return
    const { leaks, complete } = await leaksIn(
      hearth.git,
      row.store,
      { tips, hide },
      { matches: MOST_MATCHES },
      signal,
    )
    if (!complete)
      hearth.log.warn(
        'a push holds too much that looks like tokens; the rest of it is not looked through',
        { repo: repo_id, matches: MOST_MATCHES },
      )
    for (const leak of leaks) {
      if (signal.aborted) throw new Error('the process is stopping')
      await writeAs(hearth, null, (tx) => revoke(tx, row, leak))
    }
  },
})

function revoke(tx: Tx, row: RepoRow, { path, line, commit, secret }: Leak): void {
  const token = revokeLeaked(tx, secret, `${fullNameOf(tx.db, row)}, ${path}:${line}`)
  if (token) auditRepo(tx, 'repo.token_found', row, { token_id: token.id, path, line, commit })
}
