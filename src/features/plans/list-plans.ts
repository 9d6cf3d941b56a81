import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { planRecord, untrustedPlans } from './plan-record.ts'
import { PLAN_STATUSES, Plans } from './schema.ts'
import { listPlanRows } from './store.ts'

export const listPlans = operation({
  name: 'list_plans',
  summary: 'List the plans of a repository, newest first, of one status or all. Needs Read.',
  keywords: ['all plans', 'proposed work'],
  route: 'GET /repos/{owner}/{name}/plans',
  toolset: 'issues',
  access: readsRepoAs('read', { scope: 'issues:read' }),
  input: Type.Object({
    repo: RepoPath,
    status: Type.Optional(OneOf(PLAN_STATUSES)),
    ...byPage(),
  }),
  output: Plans,
  list: 'page',
  untrusted: untrustedPlans,

  handler: ({ hearth, db, repo }, { status, ...paging }) => {
    const window = windowOf(paging)
    const rows = listPlanRows(
      db,
      { repo_id: repo.id, status },
      { ...window, limit: window.limit + 1 },
    )
    return pageOf(
      rows.map((row) => planRecord(hearth, repo, row)),
      window,
    )
  },
})
