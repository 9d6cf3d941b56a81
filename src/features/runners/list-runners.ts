import { operation } from '#core/operation.ts'
import { ownerInput } from '#core/owner.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { readsRunners, runnerOwnerOf, runnerRoutes } from './owner.ts'
import { runnerRecords } from './runner-record.ts'
import { Runners } from './schema.ts'
import { countRunners, listRunnerRows } from './store-runners.ts'

export const listRunners = operation({
  name: 'list_runners',
  summary:
    'List the runners elsewhere that a repository (Admin) or a workspace (Owners) has of its own, newest first, with their labels and states.',
  keywords: ['self-hosted runners', 'build machines', 'agents of CI', 'why is no runner free'],
  route: runnerRoutes('GET'),
  toolset: 'workflows',
  access: readsRunners,
  input: Type.Object({ ...ownerInput, ...byPage() }),
  output: Runners,
  list: 'page',

  handler: ({ hearth, db, repo, workspace }, paging) => {
    const owner = runnerOwnerOf({ repo, workspace })
    const window = windowOf(paging)
    const rows = listRunnerRows(db, owner, { ...window, limit: window.limit + 1 })
    return pageOf(runnerRecords(hearth, rows), window, countRunners(db, owner))
  },
})
