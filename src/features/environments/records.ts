/** Environments and deployments as records. */
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'
import { waitOf } from './protection.ts'
import { reviewerNames } from './reviewers.ts'
import type { Deployment, Environment } from './schema.ts'
import {
  countDeployments,
  findEnvironmentById,
  listReviewRows,
  type DeploymentRow,
  type EnvironmentRow,
} from './store.ts'

/** Records of environments of one repository. */
export function environmentRecords(hearth: Hearth, rows: readonly EnvironmentRow[]): Environment[] {
  const [first] = rows
  const counts = first ? countDeployments(hearth.db, first.repo_id) : new Map<string, number>()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    reviewers: reviewerNames(hearth, row),
    wait_minutes: row.wait_minutes,
    branches: JSON.parse(row.branches) as string[],
    prevent_self_review: row.prevent_self_review === 1,
    deployments_count: counts.get(row.id) ?? 0,
    created_at: row.created_at,
  }))
}

function waitsFor(hearth: Hearth, row: DeploymentRow): string | null {
  if (row.state !== 'waiting' || row.environment_id === null) return null
  const environment = findEnvironmentById(hearth.db, row.environment_id)
  return environment && waitOf(hearth, hearth.db, environment, row)
}

export function deploymentRecords(hearth: Hearth, rows: readonly DeploymentRow[]): Deployment[] {
  const reviews = Map.groupBy(
    listReviewRows(
      hearth.db,
      rows.map(({ id }) => id),
    ),
    ({ deployment_id }) => deployment_id,
  )
  return rows.map((row) => ({
    id: row.id,
    environment: row.environment,
    run: row.run_id,
    job: row.job_id,
    job_name: row.job,
    ref: row.ref,
    sha: row.sha,
    state: row.state,
    waits_for: waitsFor(hearth, row),
    creator: actorOf(hearth, row.creator_id),
    reviews: (reviews.get(row.id) ?? []).map(({ user_id, verdict, comment, created_at }) => ({
      by: actorOf(hearth, user_id),
      verdict,
      comment,
      at: created_at,
    })),
    url: row.url,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }))
}

export function deploymentRecord(hearth: Hearth, row: DeploymentRow): Deployment {
  const [record] = deploymentRecords(hearth, [row])
  if (!record) throw new TypeError('a deployment has a record')
  return record
}

/** Throws 404 for the fork of a pull request, whose runs belong to its repository. */
export function requireHome(repo: Pick<RepoGrant, 'parent_id' | 'full_name'>): void {
  if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
}
