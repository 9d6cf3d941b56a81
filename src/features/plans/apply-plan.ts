import { writesRepo, type RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { missingScope } from '#core/scopes.ts'
import type { Tx } from '#core/write.ts'
import { requireMayStartAgents } from '#features/agents/index.ts'
import { blockIssue, openIssue, requireContribution } from '#features/issues/index.ts'
import { requireRoute } from '#features/models/index.ts'
import { requireLive } from '#features/repos/index.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { onPlan } from './inputs.ts'
import { issuesOf, planRecord, requirePlan, requireReady, untrustedPlan } from './plan-record.ts'
import { MAX_ISSUES, Plan, type PlanIssue } from './schema.ts'
import { START_SCOPE, startDueIssues } from './start-issues.ts'
import { insertPlanStart, setPlanApplied } from './store.ts'

export const applyPlan = operation({
  name: 'apply_plan',
  summary:
    'Open the issues of a plan, each blocked by those it depends on; needs Write. All of them, or those at the positions in keep. With assign the built-in agent begins those that wait for nothing, and each other when its last blocker closes.',
  keywords: ['create issues from a plan', 'start a plan', 'execute a plan'],
  route: 'POST /repos/{owner}/{name}/plans/{plan}/apply',
  toolset: 'issues',
  access: writesRepo('write', { scope: 'issues:write' }),
  input: Type.Object({
    ...onPlan,
    assign: Type.Optional(
      Type.Boolean({ description: 'Whether the built-in agent works on the issues.' }),
    ),
    keep: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        minItems: 1,
        maxItems: MAX_ISSUES,
        description: 'Positions of the issues to open, all unless given.',
      }),
    ),
  }),
  output: Plan,
  untrusted: untrustedPlan,

  handler: ({ hearth, db, repo, caller, write }, { plan, assign = false, keep }) => {
    requireContribution(hearth, repo, caller)
    requireReady(requirePlan(db, repo.id, plan))
    if (assign) requireMayAssign(hearth, repo, caller)
    return write((tx) => {
      requireLive(tx.db, repo.id)
      const row = requirePlan(tx.db, repo.id, plan)
      requireReady(row)
      const issues = openIssues(tx, repo, caller, issuesOf(row), keep)
      setPlanApplied(tx, row.id, issues, caller.id)
      if (assign) {
        for (const { number } of issues)
          if (number !== null)
            insertPlanStart(tx, {
              repo_id: repo.id,
              number,
              plan_id: row.id,
              asked_by: caller.id,
              token_id: caller.token?.id ?? null,
            })
        startDueIssues(tx, repo.id)
      }
      return planRecord(hearth, repo, requirePlan(tx.db, repo.id, plan))
    })
  },
})

/** What `assign_issue` demands, before any issue is open. Throws 403 and 409. */
function requireMayAssign(hearth: Hearth, repo: RepoGrant, caller: SignedIn): void {
  const scope = missingScope(caller.token?.scopes ?? null, START_SCOPE)
  if (scope !== null) throw forbidden('scope', `this token lacks the scope ${scope}`, { scope })
  requireMayStartAgents(hearth, hearth.db, caller)
  requireRoute(hearth.db, repo.workspace_id, 'code')
}

/** Opens the kept issues and makes them wait for each other. Throws 422 for an unknown position. */
function openIssues(
  tx: Tx,
  repo: RepoGrant,
  caller: SignedIn,
  issues: readonly PlanIssue[],
  keep: readonly number[] | undefined,
): PlanIssue[] {
  const unknown = keep?.find((position) => !issues.some((issue) => issue.position === position))
  if (unknown !== undefined) throw invalid('keep', `there is no issue at position ${unknown}`)
  const applied = issues.map((issue) => {
    const kept = keep === undefined || keep.includes(issue.position)
    if (!kept) return { ...issue, kept }
    const { title, body, labels, checks } = issue
    return { ...issue, kept, number: openIssue(tx, repo, caller, { title, body, labels, checks }) }
  })
  const numbers = new Map(applied.map(({ position, number }) => [position, number]))
  for (const { number, depends_on } of applied) {
    if (number === null) continue
    const blockers = depends_on.flatMap((position) => numbers.get(position) ?? [])
    if (blockers.length > 0) blockIssue(tx, repo, number, blockers)
  }
  return applied
}
