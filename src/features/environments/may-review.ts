/** What a page offers to somebody who looks at a deployment. */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { needsApproval } from './protection.ts'
import { mayReview, refusalOfReviewer } from './review-deployment.ts'
import { findDeployment, findEnvironmentById } from './store.ts'

export type ReviewOffer = {
  readonly may: boolean
  /** Why a reviewer of the environment may not decide about this deployment. */
  readonly refusal: string | null
}

const NOTHING: ReviewOffer = { may: false, refusal: null }

export function reviewOffer(hearth: Hearth, caller: Caller, deployment_id: string): ReviewOffer {
  const { db } = hearth
  const row = findDeployment(db, deployment_id)
  if (caller.kind !== 'user' || row?.state !== 'waiting' || row.environment_id === null)
    return NOTHING
  const environment = findEnvironmentById(db, row.environment_id)
  if (
    environment === null ||
    !needsApproval(hearth, db, environment, row) ||
    !mayReview(hearth, environment, caller.id)
  )
    return NOTHING
  const refusal = refusalOfReviewer(hearth, caller.id, environment, row)
  return { may: refusal === null, refusal }
}
