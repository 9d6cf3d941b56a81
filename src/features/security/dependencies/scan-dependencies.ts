/** Jobs that compare default branches with advisories, and what starts them. */
import { reaction } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import {
  branchRef,
  gitPush,
  headCommit,
  listRootsOfStore,
  listStoresAfter,
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
  listOpenKeys,
  putDependencyAlert,
  putScan,
  scannedCommit,
  setFixed,
  severityRank,
  type Finding,
} from './store-alerts.ts'

/** Rows of one transaction, which take about 10 ms. */
const BATCH = 100

type Opened = { first: string | null; count: number; severity: Finding['severity'] }

const keyOf = (one: Pick<Finding, 'ecosystem' | 'package' | 'advisory_id' | 'manifest'>): string =>
  `${one.ecosystem}\n${one.package}\n${one.advisory_id}\n${one.manifest}`

async function storeFindings(
  hearth: Hearth,
  repo: RepoRow,
  findings: readonly Finding[],
  signal: AbortSignal,
): Promise<Opened> {
  const opened: Opened = { first: null, count: 0, severity: null }
  for (let at = 0; at < findings.length; at += BATCH) {
    signal.throwIfAborted()
    await writeAs(hearth, null, (tx) => {
      for (const found of findings.slice(at, at + BATCH)) {
        const id = typeId('dpa', tx.now_ms)
        if (!putDependencyAlert(tx, repo.id, id, found)) continue
        opened.first ??= id
        opened.count++
        if (severityRank(found.severity) < severityRank(opened.severity))
          opened.severity = found.severity
      }
    })
  }
  return opened
}

/** Closes the alerts that a comparison no longer finds. */
async function closeOthers(
  hearth: Hearth,
  repo: RepoRow,
  findings: readonly Finding[],
  fixed_by: Oid | null,
): Promise<void> {
  const found = new Set(findings.map(keyOf))
  for (let after = 0; ; ) {
    const page = listOpenKeys(hearth.db, repo.id, after, BATCH)
    const gone = page.filter((row) => !found.has(keyOf(row))).map(({ seq }) => seq)
    if (gone.length > 0) await writeAs(hearth, null, (tx) => setFixed(tx, gone, fixed_by))
    if (page.length < BATCH) return
    after = page.at(-1)?.seq ?? after
    await nextTurn()
  }
}

/** Compares the default branch of one repository. */
async function scanRepo(hearth: Hearth, repo: RepoRow, signal: AbortSignal): Promise<void> {
  const commit = headCommit(hearth, repo)
  if (commit === null) return
  const dependencies = dependencyRecords(await readLockFiles(hearth, repo.store, commit, signal))
  const before = scannedCommit(hearth.db, repo.id)
  if (dependencies.length === 0 && before === null) return
  const findings = await matchDependencies(hearth.db, dependencies)
  const opened = await storeFindings(hearth, repo, findings, signal)
  // Without another commit an advisory was changed or withdrawn.
  await closeOthers(hearth, repo, findings, before === commit ? null : commit)
  await writeAs(hearth, null, (tx) => {
    putScan(tx, { repo_id: repo.id, commit_sha: commit, packages: dependencies.length })
    if (opened.first === null) return
    tx.append(
      alertOpened,
      { workspace_id: repo.workspace_id, repo_id: repo.id },
      {
        kind: 'dependency',
        alert: opened.first,
        severity: opened.severity,
        count: opened.count,
      },
    )
  })
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

/** Compares all repositories, after advisories were imported. */
export const scanAllDependencies = job<null>({
  kind: 'scan_all_dependencies',
  queue: 'security',
  run: async ({ hearth, signal }) => {
    for (let after = ''; ; ) {
      const stores = listStoresAfter(hearth.db, after, STORES_PER_PAGE)
      for (const store of stores)
        for (const repo_id of listRootsOfStore(hearth.db, store)) {
          signal.throwIfAborted()
          const repo = repoById(hearth.db, repo_id)
          if (!isScanned(repo)) continue
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
