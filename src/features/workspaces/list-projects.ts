import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { projectRecord, Projects } from './projects.ts'
import { listProjectRows } from './store-projects.ts'

export const listProjects = operation({
  name: 'list_projects',
  summary:
    'List the projects of a workspace, newest first, with their repositories that you can see. For its members.',
  keywords: ['projects of an organization'],
  route: 'GET /workspaces/{workspace}/projects',
  toolset: 'access',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({ workspace: WorkspaceSlug, ...byPage() }),
  output: Projects,
  list: 'page',

  handler: ({ hearth, db, caller, workspace }, paging) => {
    const window = windowOf(paging)
    const rows = listProjectRows(db, workspace.id, {
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(
      rows.map((row) => projectRecord(hearth, row, caller)),
      window,
    )
  },
})
