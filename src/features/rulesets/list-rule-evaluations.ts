import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { beforeOf, byBefore, keyPageOf } from '#core/page.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { actorsOf } from '#features/accounts/index.ts'
import { RESULTS, RuleEvaluations } from './schema.ts'
import { listEvaluationRows } from './store-evaluations.ts'

export const listRuleEvaluations = operation({
  name: 'list_rule_evaluations',
  summary:
    'List what came of holding rules against pushes and merges of a repository (Maintain), newest first; of one ruleset or with one result only. Kept for 90 days.',
  keywords: ['blocked pushes', 'why was my push refused', 'rule violations', 'who bypassed rules'],
  route: 'GET /repos/{owner}/{name}/rule-evaluations',
  toolset: 'access',
  access: readsRepoAs('maintain', { scope: 'repo:read' }),
  input: Type.Object({
    repo: RepoPath,
    ruleset: Type.Optional(Type.String({ maxLength: 100, description: 'The id of a ruleset.' })),
    result: Type.Optional(OneOf(RESULTS)),
    ...byBefore(),
  }),
  output: RuleEvaluations,
  list: 'before',

  handler: ({ hearth, db, repo }, { ruleset, result, ...paging }) => {
    const { before, limit } = beforeOf(paging, 'rse')
    const rows = listEvaluationRows(db, {
      repo_id: repo.id,
      ruleset,
      result,
      before,
      limit: limit + 1,
    })
    const ids = [...new Set(rows.flatMap(({ actor_id }) => (actor_id === null ? [] : [actor_id])))]
    const actors = new Map(actorsOf(hearth, ids).map((actor) => [actor.id, actor]))
    const items = rows.map((row) => ({
      id: row.id,
      ruleset: row.ruleset_id,
      ruleset_name: row.ruleset_name,
      rule: row.rule,
      ref: row.ref,
      sha: row.sha,
      pull: row.pull_number,
      actor: row.actor_id === null ? null : (actors.get(row.actor_id) ?? null),
      result: row.result,
      enforced: row.enforced === 1,
      message: row.message,
      time: row.time,
    }))
    return keyPageOf(items, limit, ({ id }) => id)
  },
})
