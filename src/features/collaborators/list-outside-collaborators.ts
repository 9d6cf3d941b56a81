import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { actorOf } from '#features/accounts/index.ts'
import { readsWorkspaceAsOwner } from '#features/workspaces/index.ts'
import { OutsideCollaborators } from './schema.ts'
import { listOutside, listOutsideRepos } from './store.ts'

export const listOutsideCollaborators = operation({
  name: 'list_outside_collaborators',
  summary:
    'List the people with a role on repositories of a workspace who do not belong to it, with those repositories. For its owners.',
  keywords: ['contractors', 'guests', 'external people'],
  route: 'GET /workspaces/{workspace}/outside_collaborators',
  toolset: 'access',
  access: readsWorkspaceAsOwner({ scope: 'access:admin' }),
  input: Type.Object({ workspace: WorkspaceSlug, ...byPage() }),
  output: OutsideCollaborators,
  list: 'page',

  handler: ({ hearth, db, workspace }, paging) => {
    const window = windowOf(paging)
    const rows = listOutside(db, workspace.id, { limit: window.limit + 1, offset: window.offset })
    return pageOf(
      rows.map(({ user_id, two_factor_enabled, added_at }) => ({
        user: actorOf(hearth, user_id),
        repositories: listOutsideRepos(db, workspace.id, user_id),
        two_factor_enabled: two_factor_enabled === 1,
        added_at,
      })),
      window,
    )
  },
})
