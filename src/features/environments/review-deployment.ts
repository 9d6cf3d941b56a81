import { writesRepoAsPerson } from '#core/access.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, RepoPath, Type } from '#core/schema.ts'
import { actorOf, userCaller } from '#features/accounts/index.ts'
import { fullName } from '#features/repos/index.ts'
import { actorOfRun, requestScheduling } from '#features/workflows/index.ts'
import { conflict, forbidden, notFound } from '#lib/errors.ts'
import { findHold, needsApproval } from './protection.ts'
import { deploymentRecord, requireHome } from './records.ts'
import { isReviewer } from './reviewers.ts'
import { Deployment, VERDICTS } from './schema.ts'
import {
  findDeployment,
  findEnvironmentById,
  insertReview,
  setDeploymentState,
  type DeploymentRow,
  type EnvironmentRow,
} from './store.ts'

const MAX_COMMENT_CHARS = 1_000

export const reviewDeployment = operation({
  name: 'review_deployment',
  summary:
    'Approve or reject a deployment that waits for a reviewer of its environment (a reviewer, people only). One approval lets its job begin, after the waiting time; a rejection fails it. Answers the deployment.',
  keywords: ['approve a deployment', 'allow a release to production', 'reject a deployment'],
  route: 'POST /repos/{owner}/{name}/deployments/{id}/review',
  toolset: 'workflows',
  access: writesRepoAsPerson('read', { scope: 'workflows:write' }),
  input: Type.Object({
    repo: RepoPath,
    id: Type.String({ minLength: 1, maxLength: 100, description: 'The id of a deployment.' }),
    verdict: OneOf(VERDICTS),
    comment: Type.Optional(Nullable(Type.String({ maxLength: MAX_COMMENT_CHARS }))),
  }),
  output: Deployment,

  handler: ({ hearth, caller, repo, write }, { id, verdict, comment = null }) => {
    requireHome(repo)
    return write((tx) => {
      const deployment = findDeployment(tx.db, id)
      if (deployment?.repo_id !== repo.id) throw notFound(`the deployment ${id}`)
      const environment = waitingEnvironment(hearth, tx.db, deployment)
      requireReviewer(hearth, caller, environment, deployment)
      insertReview(tx, {
        deployment_id: id,
        user_id: caller.id,
        verdict,
        comment: comment?.trim() || null,
        created_at: tx.now,
      })
      if (verdict === 'reject') {
        const reason = `${caller.username} rejected the deployment to ${environment.name}`
        setDeploymentState(tx, id, 'rejected', reason)
      }
      requestScheduling(tx, deployment.run_id)
      tx.audit({
        action: verdict === 'approve' ? 'deployment.approved' : 'deployment.rejected',
        target: { kind: 'deployment', id, name: `${deployment.job} to ${environment.name}` },
        workspace_id: repo.workspace_id,
        repo_id: repo.id,
        data: { sha: deployment.sha, ref: deployment.ref, run: deployment.run_id },
      })
      return deploymentRecord(hearth, findDeployment(tx.db, id) ?? deployment)
    })
  },
})

/** The environment of a deployment that waits for approval. Throws 409 for any other. */
function waitingEnvironment(hearth: Hearth, db: Db, deployment: DeploymentRow): EnvironmentRow {
  const environment =
    deployment.state !== 'waiting' || deployment.environment_id === null
      ? null
      : findEnvironmentById(db, deployment.environment_id)
  if (environment === null || !needsApproval(hearth, db, environment, deployment))
    throw conflict('not_ready', 'this deployment waits for no approval', {
      state: deployment.state,
    })
  return environment
}

/** A reviewer, or an administrator of the repository where a hold needs one. */
export function mayReview(hearth: Hearth, environment: EnvironmentRow, person_id: string): boolean {
  if (isReviewer(hearth.db, environment, person_id)) return true
  if (findHold(hearth, hearth.db, environment) === null) return false
  const person = userCaller(hearth.db, person_id)
  const facts = person && hearth.facts.repo(fullName(hearth.db, environment.repo_id), person)
  return facts?.role === 'admin'
}

/** Why a person cannot review a deployment; null when they can. */
export function refusalOfReviewer(
  hearth: Hearth,
  person_id: string,
  environment: EnvironmentRow,
  deployment: DeploymentRow,
): string | null {
  if (!mayReview(hearth, environment, person_id))
    return `only reviewers of ${environment.name} may approve or reject its deployments`
  if (findHold(hearth, hearth.db, environment) !== null) return null
  // A rerun has another starter than its run; neither may decide.
  const starters = [deployment.creator_id, actorOfRun(hearth.db, deployment.run_id)].map((id) => {
    const actor = actorOf(hearth, id)
    return actor?.on_behalf_of?.id ?? actor?.id
  })
  if (environment.prevent_self_review === 1 && starters.includes(person_id))
    return `you, or an agent of yours, started this run: another reviewer of ${environment.name} decides`
  return null
}

/** Throws 403. */
function requireReviewer(
  hearth: Hearth,
  caller: UserCaller,
  environment: EnvironmentRow,
  deployment: DeploymentRow,
): void {
  const refusal = refusalOfReviewer(hearth, caller.id, environment, deployment)
  if (refusal !== null) throw forbidden('role', refusal)
}
