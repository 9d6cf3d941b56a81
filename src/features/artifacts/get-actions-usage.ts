import { eitherAs, type RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import {
  fullNameOf,
  listStorageOfWorkspace,
  repoById,
  storageOfRepo,
  type RepoStorage,
  type StorageTotals,
} from '#features/repos/index.ts'
import { requireOwnRuns } from '#features/workflows/index.ts'
import { quotaRoom } from '#features/workspaces/index.ts'
import { UNUSED_CACHE_DAYS } from './job-caches.ts'
import { ActionsUsage, type RepoUsage } from './schema.ts'
import { artifactRecord, listLargestArtifacts } from './store-artifacts.ts'

const MAX_LARGEST = 10
const MAX_REPOSITORIES = 100

const KINDS = ['artifacts', 'caches', 'logs'] as const
type ByKind<T> = { readonly [kind in (typeof KINDS)[number]]: T }

const byKind = <T>(totalsOf: (kind: (typeof KINDS)[number]) => T): ByKind<T> => ({
  artifacts: totalsOf('artifacts'),
  caches: totalsOf('caches'),
  logs: totalsOf('logs'),
})

const sumOf = (totals: readonly StorageTotals[]): StorageTotals => ({
  files: totals.reduce((sum, { files }) => sum + files, 0),
  bytes: totals.reduce((sum, { bytes }) => sum + bytes, 0),
})

const bytesOf = ({ artifacts, caches, logs }: ByKind<StorageTotals>): number =>
  artifacts.bytes + caches.bytes + logs.bytes

const totalsRecord = ({ files, bytes }: StorageTotals) => ({ count: files, bytes })

/** The repositories with most first. */
function largestRepositories(db: Db, storage: ByKind<readonly RepoStorage[]>): RepoUsage[] {
  const byRepo = new Map<string, { artifacts: number; caches: number; logs: number }>()
  for (const kind of KINDS)
    for (const { repo_id, bytes } of storage[kind]) {
      const known = byRepo.get(repo_id) ?? { artifacts: 0, caches: 0, logs: 0 }
      byRepo.set(repo_id, { ...known, [kind]: bytes })
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
  used: number,
): { used: number; limit: number | null } {
  const room = quotaRoom(hearth, hearth.db, workspace_id, 'actions_bytes')
  return { used, limit: room === null ? null : room + used }
}

function usageOf(hearth: Hearth, workspace_id: string, repo: RepoGrant | null): ActionsUsage {
  const { db, settings } = hearth
  const byRepo = byKind((kind) => listStorageOfWorkspace(db, workspace_id, kind))
  const whole = byKind((kind) => sumOf(byRepo[kind]))
  const totals = repo === null ? whole : byKind((kind) => storageOfRepo(db, repo.id, kind))
  const { keep_days, cache_bytes } = settings.jobs
  return {
    bytes: bytesOf(totals),
    artifacts: { ...totalsRecord(totals.artifacts), keep_days },
    caches: {
      ...totalsRecord(totals.caches),
      unused_days: UNUSED_CACHE_DAYS,
      max_bytes: cache_bytes,
    },
    logs: { ...totalsRecord(totals.logs), keep_days },
    quota: quotaOf(hearth, workspace_id, bytesOf(whole)),
    largest_artifacts:
      repo === null ? [] : listLargestArtifacts(db, repo.id, MAX_LARGEST).map(artifactRecord),
    repositories: repo === null ? largestRepositories(db, byRepo) : [],
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
