/** Whether a page offers the forms of a review. */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { needsApproval } from './protection.ts'
import { refusalOfReviewer } from './review-deployment.ts'
import { findDeployment, findEnvironmentById } from './store.ts'

export function mayReview(hearth: Hearth, caller: Caller, deployment_id: string): boolean {
  const { db } = hearth
  const row = findDeployment(db, deployment_id)
  if (caller.kind !== 'user' || row?.state !== 'waiting' || row.environment_id === null)
    return false
  const environment = findEnvironmentById(db, row.environment_id)
  return (
    environment !== null &&
    needsApproval(db, environment, row) &&
    refusalOfReviewer(hearth, caller.id, environment, row) === null
  )
}
