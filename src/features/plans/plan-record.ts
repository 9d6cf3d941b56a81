/** Records of plans. */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { isTypeId } from '#core/ids.ts'
import { actorOf } from '#features/accounts/index.ts'
import { textPointers, untrustedAuthors, type UntrustedScope } from '#features/issues/index.ts'
import { conflict, notFound } from '#lib/errors.ts'
import type { Plan, PlanIssue } from './schema.ts'
import { findPlan, type PlanRow } from './store.ts'

/** Throws 404, also for malformed ids and for plans of other repositories. */
export function requirePlan(db: Db, repo_id: string, id: string): PlanRow {
  const row = isTypeId(id, 'pln') ? findPlan(db, id) : null
  if (row?.repo_id !== repo_id) throw notFound(`the plan ${id}`)
  return row
}

export const issuesOf = ({ issues }: Pick<PlanRow, 'issues'>): PlanIssue[] =>
  JSON.parse(issues) as PlanIssue[]

/** Throws 409 `already_exists` with the numbers of the issues of a plan that was applied. */
export function refuseApplied(row: PlanRow): void {
  if (row.status !== 'applied') return
  const numbers = issuesOf(row).flatMap(({ number }) => (number === null ? [] : [number]))
  throw conflict('already_exists', 'this plan was applied already: its issues are open', {
    numbers,
  })
}

/** Throws 409 for a plan that is applied, is being made or has failed. */
export function requireReady(row: PlanRow): void {
  refuseApplied(row)
  if (row.status !== 'ready')
    throw conflict(
      'not_ready',
      row.status === 'planning'
        ? 'this plan is still being made: wait until its status is ready'
        : 'this plan failed: delete it and plan again',
      { status: row.status },
    )
}

export const planRecord = (
  hearth: Hearth,
  repo: Pick<RepoGrant, 'full_name'>,
  row: PlanRow,
): Plan => ({
  id: row.id,
  repo: repo.full_name,
  brief: row.brief,
  status: row.status,
  summary: row.summary,
  issues: issuesOf(row),
  questions: JSON.parse(row.questions) as string[],
  error:
    row.error_code === null
      ? null
      : { code: row.error_code, message: row.error_message ?? row.error_code },
  cost_usd: row.cost === null ? null : row.cost / 1_000_000,
  created_by: actorOf(hearth, row.created_by),
  applied_by: row.applied_by === null ? null : actorOf(hearth, row.applied_by),
  created_at: row.created_at,
  ready_at: row.ready_at,
  applied_at: row.applied_at,
  html_url: `${hearth.settings.site_url}/${repo.full_name}/plans/${row.id}`,
})

const planPointers = (at: string, plan: Plan): string[] => [
  ...textPointers(at, plan, 'brief', 'summary'),
  ...plan.questions.map((_, index) => `${at}/questions/${index}`),
  ...plan.issues.flatMap((issue, index) => [
    ...textPointers(`${at}/issues/${index}`, issue, 'title', 'body'),
    ...issue.checks.map((_, check) => `${at}/issues/${index}/checks/${check}`),
  ]),
]

/** Texts of plans by somebody without Write, or by a model, which read what strangers wrote. */
function untrustedAt(at: string, plan: Plan, scope: UntrustedScope): string[] {
  const isModels = findPlan(scope.hearth.db, plan.id)?.by_model === 1
  return isModels || untrustedAuthors(scope)(plan.created_by) ? planPointers(at, plan) : []
}

export const untrustedPlan = (plan: Plan, scope: UntrustedScope): string[] =>
  untrustedAt('', plan, scope)

export const untrustedPlans = (
  { items }: { items: readonly Plan[] },
  scope: UntrustedScope,
): string[] => items.flatMap((plan, index) => untrustedAt(`/items/${index}`, plan, scope))
