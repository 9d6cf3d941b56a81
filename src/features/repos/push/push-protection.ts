/**
 * Keeps secrets out of repositories. With `push_protection` a push that adds one in a known format
 * is refused before any ref moves. Without it, and for pushes that are too large to scan while the
 * client waits, a job scans afterwards. It revokes the access tokens of this forge that it finds, and
 * writes secrets of other services into the audit log.
 */
import type { Oid } from '#git'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { revokeLeakedToken } from '#features/accounts/index.ts'
import { fullNameOf } from '../access/repo-facts.ts'
import { auditRepo } from '../lifecycle/preconditions.ts'
import {
  findLeakedSecrets,
  isOwnToken,
  type LeakedToken,
  type CommitRange,
} from './find-leaked-tokens.ts'
import { branchOf, branchRef } from '../refs/ref-names.ts'
import { settingsOf } from '../settings/repo-settings.ts'
import { repoById, type RepoRow } from '../store/repos.ts'
import { readRef } from '../store/refs.ts'

/** The scan limits while the client waits. The job scans the rest. */
const SYNCHRONOUS_SCAN_LIMITS = { commits: 1000, bytes: 64 * 1024 ** 2, matches: 10_000 }
/** The most matches that one scan keeps in memory. */
const MAX_MATCHES = 100_000
/** For at most this many commits with tokens, the refs that reach them are determined. */
const MAX_TRACED_COMMITS = 20
/** At most this many known commits limit the scanned history. */
const MAX_KNOWN_TIPS = 200

/** The settings that apply: a fork of a pull request uses those of its parent. */
const settingsFor = (db: Db, row: RepoRow) =>
  settingsOf((row.parent_id === null ? null : repoById(db, row.parent_id)) ?? row)

/**
 * Commits that were scanned before: the old tips of the moved branches, and the default branches of
 * the repository and of its parent.
 */
export function knownTips(db: Db, row: RepoRow, names: readonly string[]): Oid[] {
  const parent = row.parent_id === null ? null : repoById(db, row.parent_id)
  const trunks = [row, parent].map(
    (repo) => repo && readRef(db, repo.id, branchRef(repo.default_branch)),
  )
  const olds = names
    .filter((name) => branchOf(name) !== null)
    .map((name) => readRef(db, row.id, name))
  return [...new Set([...trunks, ...olds])].filter((oid) => oid !== null).slice(0, MAX_KNOWN_TIPS)
}

export type RangeScanResult = {
  /** The refusal in one line that does not contain the token; null when nothing was found. */
  readonly refused: string | null
  /** Whether a job has to scan the commits later. */
  readonly later: boolean
}

/** A ref of a push and the commit that it now leads to. */
export type ScannedMove = { readonly name: string; readonly tip: Oid }
export type PushScanResult = {
  /** The refusals by ref name. */
  readonly refused: ReadonlyMap<string, string>
  readonly later: boolean
}

type ScanServices = Pick<Hearth, 'db' | 'git'>

/**
 * Scans the commits that all refs of a push add, within the limits for waiting clients. Each ref
 * has its own result.
 */
export async function scanMoves(
  { db, git }: ScanServices,
  row: RepoRow,
  moves: readonly ScannedMove[],
  hide: readonly Oid[],
): Promise<PushScanResult> {
  const { push_protection, secret_scanning } = settingsFor(db, row)
  const refused = new Map<string, string>()
  if (moves.length === 0) return { refused, later: false }
  if (!push_protection) return { refused, later: secret_scanning }
  const tips = [...new Set(moves.map(({ tip }) => tip))]
  const { leaks, complete } = await findLeakedSecrets(
    git,
    row.store,
    { tips, hide },
    SYNCHRONOUS_SCAN_LIMITS,
  )
  const byCommit = new Map<Oid, LeakedToken>()
  for (const leak of leaks) if (!byCommit.has(leak.commit)) byCommit.set(leak.commit, leak)
  let traced = 0
  for (const [commit, leak] of byCommit) {
    // Beyond the limit, all refs are refused without determining which hold a token.
    const all = ++traced > MAX_TRACED_COMMITS
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

/** Like `scanMoves`, for one range of commits. */
export async function scanRange(
  hearth: ScanServices,
  row: RepoRow,
  { tips, hide }: CommitRange,
): Promise<RangeScanResult> {
  const { refused, later } = await scanMoves(
    hearth,
    row,
    tips.map((tip) => ({ name: tip, tip })),
    hide,
  )
  const [first] = refused.values()
  return { refused: first ?? null, later }
}

const refusal = ({ path, line, commit, name }: LeakedToken): string =>
  `${path.replace(/[\x00-\x1f\x7f]/g, '?').slice(0, 300)}:${line} holds ${name} (commit ${commit.slice(0, 7)}): take it out of the commit, and revoke it if anyone else has seen it; a maintainer can turn off the setting push_protection for what is no secret`

/** Secrets of other services that one scan writes into the audit log. */
const MAX_REPORTED_SECRETS = 100

/** Scans a push, revokes the tokens that it finds, and reports other secrets. */
export const scanPush = job<CommitRange & { repo_id: string }>({
  kind: 'scan_push',
  run: async ({ hearth, signal }, { repo_id, tips, hide }) => {
    const row = repoById(hearth.db, repo_id)
    if (!row) return
    const { leaks, complete } = await findLeakedSecrets(
      hearth.git,
      row.store,
      { tips, hide },
      { matches: MAX_MATCHES },
      signal,
    )
    if (!complete)
      hearth.log.warn(
        'a push holds too much that looks like tokens; the rest of it is not looked through',
        { repo: repo_id, matches: MAX_MATCHES },
      )
    for (const leak of leaks.filter(isOwnToken)) {
      if (signal.aborted) throw new Error('the process is stopping')
      await writeAs(hearth, null, (tx) => revokeToken(tx, row, leak))
    }
    const others = leaks.filter((leak) => !isOwnToken(leak))
    if (others.length > 0) await writeAs(hearth, null, (tx) => reportSecrets(tx, row, others))
  },
})

function revokeToken(tx: Tx, row: RepoRow, { path, line, commit, secret }: LeakedToken): void {
  const token = revokeLeakedToken(tx, secret, `${fullNameOf(tx.db, row)}, ${path}:${line}`)
  if (token) auditRepo(tx, 'repo.token_found', row, { token_id: token.id, path, line, commit })
}

/** The text of a secret is never stored. */
function reportSecrets(tx: Tx, row: RepoRow, leaks: readonly LeakedToken[]): void {
  for (const { path, line, commit, name } of leaks.slice(0, MAX_REPORTED_SECRETS))
    auditRepo(tx, 'repo.secret_found', row, { secret: name, path, line, commit })
}
