/** Hands issues of applied plans to the built-in agent, each when nothing blocks it any more. */
import { reaction } from '#core/events.ts'
import { job } from '#core/jobs.ts'
import { call } from '#core/operation.ts'
import type { Tx } from '#core/write.ts'
import { issueClosed } from '#features/issues/index.ts'
import { assignIssue, restoreCaller } from '#features/pulls/index.ts'
import { fullName } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { hasPlanStarts, listPlanStartsDue, removePlanStart } from './store.ts'

type Start = {
  readonly repo_id: string
  readonly number: number
  readonly asked_by: string
  readonly token_id: string | null
}

/** The scope of `assign_issue`, which is asked of the token that applies a plan. */
export const START_SCOPE = 'pulls:write'

/** Starts one issue with the rights of whoever applied the plan. A refusal is final. */
export const startPlannedIssue = job<Start>({
  kind: 'plans.start',
  run: async ({ hearth }, { repo_id, number, asked_by, token_id }) => {
    const caller = restoreCaller(hearth, repo_id, asked_by, token_id, START_SCOPE)
    if (caller === null) return
    try {
      await call(hearth, assignIssue, caller, { repo: fullName(hearth.db, repo_id), number })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      hearth.log.info('an issue of a plan was not started', { number, reason: error.message })
    }
  },
})

/** Enqueues the start of every issue of a repository that waits for none now. */
export function startDueIssues(tx: Tx, repo_id: string): void {
  for (const { number, asked_by, token_id } of listPlanStartsDue(tx.db, repo_id)) {
    removePlanStart(tx, repo_id, number)
    tx.enqueue(startPlannedIssue, { repo_id, number, asked_by, token_id })
  }
}

export const startUnblocked = reaction(
  'start_unblocked_issues_of_plans',
  issueClosed,
  (tx, { repo_id, data }) => {
    if (repo_id === null || !hasPlanStarts(tx.db, repo_id)) return
    removePlanStart(tx, repo_id, data.number)
    startDueIssues(tx, repo_id)
  },
)
