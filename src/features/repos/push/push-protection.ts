/**
 * Keeps secrets out of repositories. With `push_protection` a push that adds one in a known format
 * is refused before any ref moves. Without it, and for pushes that are too large to scan while the
 * client waits, a job scans afterwards. It revokes the access tokens of this forge that it finds, and
 * opens alerts for all secrets that are in the repository.
 */
import type { Oid, RefUpdate } from '#git'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { revokeLeakedToken } from '#features/accounts/index.ts'
import { forbidden } from '#lib/errors.ts'
import { withArticle } from '#lib/secrets/refused-secret.ts'
import { fullNameOf } from '../access/repo-facts.ts'
import { auditRepo } from '../lifecycle/preconditions.ts'
import { secretFindings, type PlacedSecret } from '../extension-points.ts'
import { findSecrets, isOwnToken, type CommitRange, type FoundSecret } from './find-secrets.ts'
import { branchOf, branchRef } from '../refs/ref-names.ts'
import { secretProtectionOf } from '../settings/secret-protection.ts'
import { repoById, type RepoRow } from '../store/repos.ts'
import { readRef } from '../store/refs.ts'

/** The scan limits while the client waits. The job scans the rest. */
const SYNCHRONOUS_SCAN_LIMITS = {
  commits: 1000,
  bytes: 64 * 1024 ** 2,
  matches: 10_000,
  milliseconds: 5000,
}
/** The most matches that one scan keeps in memory. */
const MAX_MATCHES = 100_000
/** For at most this many commits with tokens, the refs that reach them are determined. */
const MAX_TRACED_COMMITS = 20
/** At most this many known commits limit the scanned history. */
const MAX_KNOWN_TIPS = 200

/** The repository whose settings apply: the parent of a fork of a pull request. */
const homeOf = (db: Db, row: RepoRow): RepoRow =>
  (row.parent_id === null ? null : repoById(db, row.parent_id)) ?? row

/**
 * Commits that were scanned before: the old tips of the moved branches, and the default branches of
 * the repository and of its parent.
 */
export function knownTips(db: Db, row: RepoRow, updates: readonly RefUpdate[]): Oid[] {
  const parent = row.parent_id === null ? null : repoById(db, row.parent_id)
  const trunks = [row, parent].map(
    (repo) => repo && readRef(db, repo.id, branchRef(repo.default_branch)),
  )
  const olds = updates
    .filter(({ name, old }) => old !== null && branchOf(name) !== null)
    .slice(0, MAX_KNOWN_TIPS)
    .map(({ name }) => readRef(db, row.id, name))
  return [...new Set([...trunks, ...olds])].filter((oid) => oid !== null).slice(0, MAX_KNOWN_TIPS)
}

/** Why a ref may not move. No part holds the text of a secret. */
export type SecretRefusal = {
  /** One line. */
  readonly reason: string
  /** Lines for the terminal, with the addresses to bypass. */
  readonly lines: readonly string[]
  /** What a client of the API reads. */
  readonly findings: readonly {
    readonly type: string
    readonly path: string
    readonly line: number
    readonly commit: Oid
    readonly placeholder: string | null
    readonly url: string | null
  }[]
}

/** A ref of a push and the commit that it now leads to. */
export type ScannedMove = { readonly name: string; readonly tip: Oid }
export type PushScanResult = {
  /** The refusals by ref name. */
  readonly refused: ReadonlyMap<string, SecretRefusal>
  /** Whether a job has to scan the commits later. */
  readonly later: boolean
}

type ScanServices = {
  readonly hearth: Hearth
  readonly caller: SignedIn
  /** Whether a person is told how to push a secret anyway. */
  readonly offersBypass?: boolean
}

/** Whether the caller has let a refused secret through. */
const isBypassed = ({ hearth, caller }: ScanServices, home: RepoRow, found: FoundSecret): boolean =>
  secretFindings.all(hearth).some((one) => one.isBypassed(hearth, home, caller, found))

/** Formats that a repository looks for in addition to those that all have. */
export const customRules = (hearth: Hearth, home: RepoRow) =>
  secretFindings.all(hearth).flatMap((one) => one.customRules(hearth.db, home))

/**
 * Scans the commits that all refs of a push add, within the limits for waiting clients. Each ref
 * has its own result.
 */
export async function scanMoves(
  services: ScanServices,
  row: RepoRow,
  moves: readonly ScannedMove[],
  hide: readonly Oid[],
): Promise<PushScanResult> {
  const { hearth } = services
  const { db, git } = hearth
  const home = homeOf(db, row)
  const { push_protection, secret_scanning } = secretProtectionOf(db, home)
  if (moves.length === 0) return { refused: new Map(), later: false }
  if (!push_protection) return { refused: new Map(), later: secret_scanning }
  const { found, complete } = await findSecrets(
    git,
    row.store,
    { tips: [...new Set(moves.map(({ tip }) => tip))], hide },
    { custom: customRules(hearth, home), limits: SYNCHRONOUS_SCAN_LIMITS },
  )
  const blocking = found.filter((one) => one.refused && !isBypassed(services, home, one))
  return {
    refused: await refuseMoves(services, row, moves, blocking),
    later: secret_scanning && (!complete || blocking.length < found.length),
  }
}

/** The refusals of the refs whose new commits hold a secret. */
async function refuseMoves(
  services: ScanServices,
  row: RepoRow,
  moves: readonly ScannedMove[],
  blocking: readonly FoundSecret[],
): Promise<Map<string, SecretRefusal>> {
  const { git, db } = services.hearth
  const home = homeOf(db, row)
  const byCommit = Map.groupBy(blocking, ({ commit }) => commit)
  const held = new Map<string, FoundSecret[]>()
  let traced = 0
  for (const [commit, found] of byCommit) {
    // Beyond the limit, all refs are refused without determining which hold a secret.
    const all = ++traced > MAX_TRACED_COMMITS
    for (const { name, tip } of moves)
      if (all || tip === commit || (await git.isReachable(row.store, commit, [tip])))
        held.set(name, [...(held.get(name) ?? []), ...found])
    if (all) break
  }
  return new Map([...held].map(([name, found]) => [name, refusalOf(services, home, found)]))
}

/** Like `scanMoves`, for one range of commits. */
export async function scanRange(
  services: ScanServices,
  row: RepoRow,
  { tips, hide }: CommitRange,
): Promise<{ readonly refused: SecretRefusal | null; readonly later: boolean }> {
  const moves = tips.map((tip) => ({ name: tip, tip }))
  const { refused, later } = await scanMoves(services, row, moves, hide)
  const [first] = refused.values()
  return { refused: first ?? null, later }
}

/** Throws 403 `push_protection` with what was found. */
export function throwIfRefused(refused: SecretRefusal | null): void {
  if (refused !== null)
    throw forbidden('push_protection', refused.reason, { findings: refused.findings })
}

/** So many findings of one ref are told. */
const MAX_TOLD_FINDINGS = 10

function refusalOf(
  { hearth, caller, offersBypass = true }: ScanServices,
  home: RepoRow,
  found: readonly FoundSecret[],
): SecretRefusal {
  const unique = [...new Map(found.map((one) => [`${one.type} ${one.secret}`, one])).values()]
  const told = unique.slice(0, MAX_TOLD_FINDINGS).map((one) => {
    const [offer = null] = (offersBypass ? secretFindings.all(hearth) : []).map((feature) =>
      feature.offerBypass(hearth, home, caller, one),
    )
    return { ...one, path: printable(one.path), offer }
  })
  const [first] = told
  if (!first) throw new TypeError('a refusal has a finding')
  return {
    reason: `${placeOf(first)} holds ${withArticle(first.label)} (commit ${first.commit.slice(0, 7)}): take it out of the commit, and revoke it if anyone else has seen it (push_protection)`,
    lines: [
      `Push protection found ${unique.length === 1 ? 'a secret' : `${unique.length} secrets`}:`,
      ...told.flatMap(({ offer, ...one }) => [
        `  ${placeOf(one)} (commit ${one.commit.slice(0, 7)}): ${one.label}`,
        ...(offer === null ? [] : [`    To push it anyway, give a reason: ${offer.url}`]),
      ]),
      'Take it out of the commits (git commit --amend, or git rebase -i) and push again.',
    ],
    findings: told.map(({ type, path, line, commit, offer }) => ({
      type,
      path,
      line,
      commit,
      placeholder: offer?.placeholder ?? null,
      url: offer?.url ?? null,
    })),
  }
}

const printable = (path: string): string => path.replace(/[\x00-\x1f\x7f]/g, '?').slice(0, 300)
const placeOf = ({ path, line }: Pick<FoundSecret, 'path' | 'line'>): string => `${path}:${line}`

/** Scans commits that are in the repository, revokes tokens of this forge, and opens alerts. */
export const scanPush = job<CommitRange & { repo_id: string }>({
  kind: 'scan_push',
  run: async ({ hearth, signal }, { repo_id, tips, hide }) => {
    const row = repoById(hearth.db, repo_id)
    if (!row) return
    const { found, complete } = await findSecrets(
      hearth.git,
      row.store,
      { tips, hide },
      {
        custom: customRules(hearth, homeOf(hearth.db, row)),
        limits: { matches: MAX_MATCHES },
      },
      signal,
    )
    if (!complete)
      hearth.log.warn(
        'a push holds too much that looks like secrets; the rest of it is not looked through',
        { repo: repo_id, matches: MAX_MATCHES },
      )
    await recordSecrets(hearth, row, 'push', found, signal)
  },
})

/** So many findings are recorded in one transaction. */
const RECORD_BATCH = 200

/** Revokes tokens of this forge that were found in a repository, and opens alerts for all secrets. */
export async function recordSecrets(
  hearth: Hearth,
  row: RepoRow,
  source: 'push' | 'history',
  found: readonly FoundSecret[],
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < found.length; at += RECORD_BATCH) {
    if (signal.aborted) throw new Error('the process is stopping')
    const batch = found.slice(at, at + RECORD_BATCH)
    await writeAs(hearth, null, (tx) => {
      for (const one of batch.filter(isOwnToken)) revokeSecretToken(tx, row, one)
      const home = homeOf(tx.db, row)
      for (const feature of secretFindings.all(hearth)) feature.record(tx, home, source, batch)
    })
  }
}

/** Revokes a token of this forge that stands in a repository or in one of its texts. */
export function revokeSecretToken(
  tx: Tx,
  row: RepoRow,
  { path, line, commit, secret }: Pick<PlacedSecret, 'path' | 'line' | 'commit' | 'secret'>,
): void {
  const token = revokeLeakedToken(tx, secret, `${fullNameOf(tx.db, row)}, ${path}:${line}`)
  if (token) auditRepo(tx, 'repo.token_found', row, { token_id: token.id, path, line, commit })
}
