import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { memberRecords } from './members.ts'
import { Members, WorkspaceRoleName } from './schema.ts'
import { listMemberRows } from './store.ts'

const SIZES = { size: 100, max: 100 }

export const listMembers = operation({
  name: 'list_members',
  summary:
    'List the people of a workspace with their roles, newest account first. For its members; owners also see who signs in with a second factor.',
  keywords: ['people in the organization', 'who is in the workspace', 'org members', 'colleagues'],
  route: 'GET /workspaces/{workspace}/members',
  toolset: 'access',
  listed: 'default',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    role: Type.Optional(WorkspaceRoleName),
    ...byPage(SIZES),
  }),
  output: Members,
  list: 'page',

  handler: ({ hearth, db, workspace }, { role, ...paging }) => {
    const window = windowOf(paging, SIZES)
    const rows = listMemberRows(db, {
      workspace_id: workspace.id,
      role,
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(memberRecords(hearth, rows, workspace.role), window)
  },
})
