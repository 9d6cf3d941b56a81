import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { requireOwnRuns, workflowRecord } from '../records.ts'
import { Workflows } from '../schema.ts'
import { listWorkflowRows } from './store-workflows.ts'

export const listWorkflows = operation({
  name: 'list_workflows',
  summary:
    'List the workflows of a repository by path: the files on the default branch, with what is wrong in them, and those that ran before; q narrows by name or path.',
  keywords: ['CI files', 'pipelines', 'which workflows exist'],
  route: 'GET /repos/{owner}/{name}/actions/workflows',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({
    repo: RepoPath,
    q: Type.Optional(Type.String({ maxLength: 100, description: 'A part of the name or path.' })),
    event: Type.Optional(
      Type.String({
        maxLength: 50,
        description:
          'As workflow files name it: only active ones of the default branch that name it.',
      }),
    ),
    ...byPage(),
  }),
  output: Workflows,
  list: 'page',

  handler: ({ db, repo }, { repo: _, q = '', event = null, ...paging }) => {
    requireOwnRuns(repo)
    const window = windowOf(paging)
    const rows = listWorkflowRows(db, repo.id, {
      q: q.trim(),
      event,
      offset: window.offset,
      limit: window.limit + 1,
    })
    return pageOf(rows.map(workflowRecord), window)
  },
})
