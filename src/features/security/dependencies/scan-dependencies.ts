/** Jobs that compare default branches with advisories, and what starts them. */
import { handler, reaction } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { standingAlertsClosed } from '#features/pulls/index.ts'
import {
  branchRef,
  gitPush,
  headCommit,
  listRootsOfStore,
  listStoresAfter,
  repoArrived,
  repoById,
  repoDefaultBranchChanged,
  type RepoRow,
} from '#features/repos/index.ts'
import type { Oid } from '#git'
import { nextTurn } from '#lib/waiting.ts'
import { alertOpened } from '../events.ts'
import { dependencyRecords } from './dependency-records.ts'
import { readLockFiles } from './lock-files.ts'
import { matchDependencies } from './match-advisories.ts'
import { rateReviews, requestMissingReviews } from './review-pulls.ts'
import { hasAdvisories } from './store-advisories.ts'
import {
  listUnfixed,
  putDependencyAlert,
  putScan,
  scannedCommit,
  setFixed,
  type Finding,
  type UnfixedAlert,
} from './store-alerts.ts'

/** Rows of one transaction, which take about 10 ms. */
const BATCH = 100

const keyOf = (one: Pick<Finding, 'ecosystem' | 'package' | 'advisory_id' | 'manifest'>): string =>
  `${one.ecosystem}\n${one.package}\n${one.advisory_id}\n${one.manifest}`

async function readUnfixed(hearth: Hearth, repo_id: string): Promise<UnfixedAlert[]> {
  const unfixed: UnfixedAlert[] = []
  for (let after = { severity_rank: 0, seq: 0 }; ; ) {
    const page = listUnfixed(hearth.db, repo_id, after, BATCH)
    unfixed.push(...page)
    if (page.length < BATCH) return unfixed
    after = page.at(-1) ?? after
    await nextTurn()
  }
}

/**
 * Stores the findings, new ones first. One event tells of all that are new, in the transaction that
 * opens the first of them: a comparison that is cut off tells of the others when it is repeated.
 */
async function storeFindings(
  hearth: Hearth,
  repo: RepoRow,
  { fresh, known }: { readonly fresh: readonly Finding[]; readonly known: readonly Finding[] },
  signal: AbortSignal,
): Promise<void> {
  const findings = [...fresh, ...known]
  // Findings are sorted by severity. Two versions of a package can be in one file.
  const news = { severity: fresh[0]?.severity ?? null, count: new Set(fresh.map(keyOf)).size }
  for (let at = 0; at < findings.length; at += BATCH) {
    signal.throwIfAborted()
    await writeAs(hearth, null, (tx) => {
      const [first = ''] = findings
        .slice(at, at + BATCH)
        .map((found) => putDependencyAlert(tx, repo.id, typeId('dpa', tx.now_ms), found))
      if (at > 0 || news.count === 0) return
      const subject = { workspace_id: repo.workspace_id, repo_id: repo.id }
      tx.append(alertOpened, subject, { kind: 'dependency', alert: first, ...news })
    })
  }
}

/** Closes the alerts that a comparison no longer finds. */
async function closeOthers(
  hearth: Hearth,
  repo_id: string,
  unfixed: readonly UnfixedAlert[],
  findings: readonly Finding[],
  fixed_by: Oid | null,
): Promise<void> {
  const found = new Set(findings.map(keyOf))
  const gone = unfixed.filter((row) => row.state === 'open' && !found.has(keyOf(row)))
  for (let at = 0; at < gone.length; at += BATCH) {
    const seqs = gone.slice(at, at + BATCH).map(({ seq }) => seq)
    await writeAs(hearth, null, (tx) => {
      setFixed(tx, seqs, fixed_by)
      tx.emit(standingAlertsClosed, { repo_id })
    })
  }
}

/** Compares the default branch of one repository. */
async function scanRepo(hearth: Hearth, repo: RepoRow, signal: AbortSignal): Promise<void> {
  const commit = headCommit(hearth, repo)
  if (commit === null) return
  const dependencies = dependencyRecords(await readLockFiles(hearth, repo.store, commit, signal))
  const before = scannedCommit(hearth.db, repo.id)
  if (dependencies.length === 0 && before === null) return
  const findings = await matchDependencies(hearth.db, repo.workspace_id, dependencies)
  const unfixed = await readUnfixed(hearth, repo.id)
  const there = new Set(unfixed.map(keyOf))
  const fresh = findings.filter((one) => !there.has(keyOf(one)))
  const known = findings.filter((one) => there.has(keyOf(one)))
  await storeFindings(hearth, repo, { fresh, known }, signal)
  // Without another commit an advisory was changed or withdrawn.
  await closeOthers(hearth, repo.id, unfixed, findings, before === commit ? null : commit)
  await writeAs(hearth, null, (tx) =>
    putScan(tx, { repo_id: repo.id, commit_sha: commit, packages: dependencies.length }),
  )
}

const isScanned = (repo: RepoRow | null): repo is RepoRow =>
  repo !== null && repo.deleted_at === null && repo.parent_id === null

export const scanDependencies = job<{ repo_id: string }>({
  kind: 'scan_dependencies',
  queue: 'security',
  run: async ({ hearth, signal }, { repo_id }) => {
    const repo = repoById(hearth.db, repo_id)
    if (isScanned(repo) && hasAdvisories(hearth.db)) await scanRepo(hearth, repo, signal)
  },
})

const STORES_PER_PAGE = 100

/** Compares all repositories after an import of advisories, or those of a workspace. */
export const scanAllDependencies = job<{ workspace_id: string } | null>({
  kind: 'scan_all_dependencies',
  queue: 'security',
  run: async ({ hearth, signal }, only) => {
    for (let after = ''; ; ) {
      const stores = listStoresAfter(hearth.db, after, STORES_PER_PAGE)
      for (const store of stores)
        for (const repo_id of listRootsOfStore(hearth.db, store)) {
          signal.throwIfAborted()
          const repo = repoById(hearth.db, repo_id)
          if (!isScanned(repo)) continue
          if (only !== null && repo.workspace_id !== only.workspace_id) continue
          await scanRepo(hearth, repo, signal)
          await rateReviews(hearth, repo_id, signal)
          await requestMissingReviews(hearth, repo_id)
        }
      if (stores.length < STORES_PER_PAGE) return
      after = stores.at(-1) ?? after
    }
  },
})

export const scanPushedDependencies = reaction(
  'dependencies of the default branch are compared with advisories',
  gitPush,
  (tx, { repo_id, data }) => {
    if (repo_id === null || data.deleted || data.ref !== branchRef(data.default_branch)) return
    if (hasAdvisories(tx.db)) tx.enqueue(scanDependencies, { repo_id }, { key: repo_id })
  },
)

export const scanNewDefaultBranch = reaction(
  'dependencies of another default branch are compared with advisories',
  repoDefaultBranchChanged,
  (tx, { repo_id }) => {
    if (repo_id !== null && hasAdvisories(tx.db))
      tx.enqueue(scanDependencies, { repo_id }, { key: repo_id })
  },
)

export const scanArrivedDependencies = handler(
  'dependencies of a repository of another forge are compared with advisories',
  repoArrived,
  (tx, { repo_id }) => {
    if (hasAdvisories(tx.db)) tx.enqueue(scanDependencies, { repo_id }, { key: repo_id })
  },
)
