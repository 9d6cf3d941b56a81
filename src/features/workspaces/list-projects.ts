import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { isVisible, projectRecord, Projects } from './projects.ts'
import { listProjectRows } from './store-projects.ts'

export const listProjects = operation({
  name: 'list_projects',
  summary:
    'List the projects of a workspace, newest first, with their repositories that you can see. For its members.',
  keywords: ['projects of an organization'],
  route: 'GET /workspaces/{workspace}/projects',
  toolset: 'access',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    repo: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only those with this repository.' }),
    ),
    ...byPage(),
  }),
  output: Projects,
  list: 'page',

  handler: ({ hearth, db, caller, workspace }, { repo, ...paging }) => {
    const window = windowOf(paging)
    const at = { limit: window.limit + 1, offset: window.offset }
    const facts = repo === undefined ? null : hearth.facts.repo(repo, caller)
    // A repository that the caller cannot see is in no project of theirs.
    const rows =
      repo !== undefined && (!facts || !isVisible(facts))
        ? []
        : listProjectRows(db, workspace.id, at, facts?.id ?? null)
    return pageOf(
      rows.map((row) => projectRecord(hearth, row, caller)),
      window,
    )
  },
})
