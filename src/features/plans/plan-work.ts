import { writesRepo } from '#core/access.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notBlank, refuseFork } from '#features/issues/index.ts'
import { requireLive } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { PlanIssuesInput, readPlanIssues } from './plan-issues.ts'
import { planRecord, requirePlan, untrustedPlan } from './plan-record.ts'
import { planByModel, requirePlanner } from './planner.ts'
import { MAX_BRIEF_CHARS, MAX_OPEN_PLANS, Plan } from './schema.ts'
import { countOpenPlans, insertPlan } from './store.ts'

export const planWork = operation({
  name: 'plan_work',
  summary:
    'Turn a brief into a plan of issues with their order, checks and sizes; needs Write. A model makes it, or give the issues yourself. Answers the plan at once; get_plan says when it is ready, and apply_plan opens the issues.',
  keywords: ['break down work', 'split into issues', 'roadmap', 'task list', 'epic'],
  route: 'POST /repos/{owner}/{name}/plans',
  toolset: 'issues',
  access: writesRepo('write', { scope: 'issues:write' }),
  input: Type.Object({
    repo: RepoPath,
    brief: Type.String({
      minLength: 1,
      maxLength: MAX_BRIEF_CHARS,
      description: 'What should be reached, in Markdown.',
    }),
    issues: Type.Optional(PlanIssuesInput),
  }),
  output: Plan,
  status: 202,
  untrusted: untrustedPlan,

  handler: ({ hearth, repo, caller, write }, { brief, issues }) => {
    refuseFork(repo)
    const text = notBlank('brief', brief)
    const given = issues === undefined ? null : readPlanIssues(issues)
    if (given === null) requirePlanner(hearth, repo.workspace_id)
    return write((tx) => {
      requireLive(tx.db, repo.id)
      if (countOpenPlans(tx.db, repo.id) >= MAX_OPEN_PLANS)
        throw conflict(
          'limit_reached',
          `${MAX_OPEN_PLANS} plans wait in ${repo.full_name}: apply or delete some first`,
          { limit: MAX_OPEN_PLANS },
        )
      const id = typeId('pln', tx.now_ms)
      insertPlan(tx, {
        id,
        repo_id: repo.id,
        brief: text,
        status: given === null ? 'planning' : 'ready',
        issues: JSON.stringify(given ?? []),
        created_by: caller.id,
        ready_at: given === null ? null : tx.now,
      })
      if (given === null) tx.enqueue(planByModel, { plan_id: id })
      return planRecord(hearth, repo, requirePlan(tx.db, repo.id, id))
    })
  },
})
