import { eitherAs, type RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import { fullNameOf, repoById } from '#features/repos/index.ts'
import {
  logTotals,
  logTotalsByRepo,
  requireOwnRuns,
  type RepoTotals,
  type Totals,
} from '#features/workflows/index.ts'
import { quotaRoom } from '#features/workspaces/index.ts'
import { UNUSED_CACHE_DAYS } from './job-caches.ts'
import { ActionsUsage, type RepoUsage } from './schema.ts'
import {
  artifactRecord,
  artifactTotals,
  artifactTotalsByRepo,
  listLargestArtifacts,
} from './store-artifacts.ts'
import { cacheTotals, cacheTotalsByRepo } from './store-caches.ts'

const MAX_LARGEST = 10
const MAX_REPOSITORIES = 100

type Parts = { readonly artifacts: Totals; readonly caches: Totals; readonly logs: Totals }
type PartsByRepo = {
  readonly [part in keyof Parts]: readonly RepoTotals[]
}

const totalsOfRepo = (db: Db, repo_id: string): Parts => ({
  artifacts: artifactTotals(db, repo_id),
  caches: cacheTotals(db, repo_id),
  logs: logTotals(db, repo_id),
})

const totalsByRepo = (db: Db, workspace_id: string): PartsByRepo => ({
  artifacts: artifactTotalsByRepo(db, workspace_id),
  caches: cacheTotalsByRepo(db, workspace_id),
  logs: logTotalsByRepo(db, workspace_id),
})

const sumOf = (totals: readonly Totals[]): Totals => ({
  count: totals.reduce((sum, { count }) => sum + count, 0),
  bytes: totals.reduce((sum, { bytes }) => sum + bytes, 0),
})

const sumOfParts = ({ artifacts, caches, logs }: PartsByRepo): Parts => ({
  artifacts: sumOf(artifacts),
  caches: sumOf(caches),
  logs: sumOf(logs),
})

const bytesOf = ({ artifacts, caches, logs }: Parts): number =>
  artifacts.bytes + caches.bytes + logs.bytes

/** The repositories with most first. */
function largestRepositories(db: Db, parts: PartsByRepo): RepoUsage[] {
  const byRepo = new Map<string, { artifacts: number; caches: number; logs: number }>()
  for (const part of ['artifacts', 'caches', 'logs'] as const)
    for (const { repo_id, bytes } of parts[part]) {
      const known = byRepo.get(repo_id) ?? { artifacts: 0, caches: 0, logs: 0 }
      byRepo.set(repo_id, { ...known, [part]: bytes })
    }
  return [...byRepo]
    .toSorted(([, a], [, b]) => b.artifacts + b.caches + b.logs - (a.artifacts + a.caches + a.logs))
    .slice(0, MAX_REPOSITORIES)
    .flatMap(([repo_id, { artifacts, caches, logs }]) => {
      const row = repoById(db, repo_id)
      if (!row) return []
      const sizes = { artifacts_bytes: artifacts, caches_bytes: caches, logs_bytes: logs }
      return { repository: fullNameOf(db, row), deleted: row.deleted_at !== null, ...sizes }
    })
}

/** What the workspace has of its quota. */
function quotaOf(
  hearth: Hearth,
  workspace_id: string,
  parts: PartsByRepo,
): { used: number; limit: number | null } {
  const used = bytesOf(sumOfParts(parts))
  const room = quotaRoom(hearth, hearth.db, workspace_id, 'actions_bytes')
  return { used, limit: room === null ? null : room + used }
}

function usageOf(hearth: Hearth, workspace_id: string, repo: RepoGrant | null): ActionsUsage {
  const { db, settings } = hearth
  const all = totalsByRepo(db, workspace_id)
  const parts = repo === null ? sumOfParts(all) : totalsOfRepo(db, repo.id)
  const { keep_days, cache_bytes } = settings.jobs
  return {
    bytes: bytesOf(parts),
    artifacts: { ...parts.artifacts, keep_days },
    caches: { ...parts.caches, unused_days: UNUSED_CACHE_DAYS, max_bytes: cache_bytes },
    logs: { ...parts.logs, keep_days },
    quota: quotaOf(hearth, workspace_id, all),
    largest_artifacts:
      repo === null ? [] : listLargestArtifacts(db, repo.id, MAX_LARGEST).map(artifactRecord),
    repositories: repo === null ? largestRepositories(db, all) : [],
  }
}

export const getActionsUsage = operation({
  name: 'get_actions_usage',
  summary:
    'Get what the artifacts, caches and logs of the workflows of a repository (Write) or a workspace (Owners) take, how long they are kept, and the quota of the workspace.',
  keywords: [
    'how much space do runs take',
    'size of artifacts and caches',
    'CI storage',
    'retention of logs',
  ],
  route: ['GET /workspaces/{workspace}/actions/usage', 'GET /repos/{owner}/{name}/actions/usage'],
  toolset: 'workflows',
  access: eitherAs('write', 'owner', { scope: 'workflows:read' }),
  input: Type.Object(ownerInput),
  output: ActionsUsage,
  // Jobs choose the names of artifacts.
  untrusted: ({ largest_artifacts }) =>
    largest_artifacts.map((_, index) => `/largest_artifacts/${index}/name`),

  handler: ({ hearth, repo, workspace }) => {
    if (repo !== null) requireOwnRuns(repo)
    return usageOf(hearth, repo?.workspace_id ?? workspace?.id ?? '', repo)
  },
})
