import { publicRead } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { findWorkspace, listMemberships, workspaceById, workspaceFacts } from '#features/workspaces/index.ts'
import { repoRecord } from './record.ts'
import { Repo } from './schema.ts'
import { countRepoRows, listRepoRows, type Sight } from './store.ts'

/** The private repositories that lie within a caller's rights, after the limits of the token. */
function sightOf(db: Db, caller: Caller): Sight {
  if (caller.kind === 'anonymous') return { workspaces: [], only: null }
  const only = caller.token?.repos ?? null
  const within = (ids: string[]) => (caller.token?.workspace ? ids.filter((id) => id === caller.token?.workspace) : ids)
  if (caller.kind === 'workspace') return { workspaces: within([caller.id]), only }
  const person = caller.kind === 'agent' ? caller.owner_id : caller.id
  const workspaces = listMemberships(db, person).flatMap(({ workspace_id, slug, role }) => {
    const given = role === 'owner' || workspaceById(db, workspace_id)?.base_permission !== 'none'
    return given && !workspaceFacts(db, slug, caller)?.two_factor_missing ? [workspace_id] : []
  })
  return { workspaces: within(workspaces), only: caller.kind === 'agent' ? [caller.repo_id] : only }
}

export const listRepos = operation({
  name: 'list_repos',
  summary: 'List the repositories that you can see: the public ones and those of your workspaces. Narrow by text in name or description (q), by workspace and by archived.',
  route: 'GET /v1/repos',
  access: publicRead({ scope: 'repo:read' }),
  input: Type.Object({
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Text in the name or description.' })),
    workspace: Type.Optional(WorkspaceSlug),
    archived: Type.Optional(Type.Boolean({ description: 'Only archived ones, or only those that are not.' })),
    sort: Type.Optional(OneOf(['updated', 'created', 'name', 'pushed'], { description: 'updated unless given; newest first, names from a to z.' })),
    ...byPage(),
  }),
  output: ListOf(Repo),
  list: 'page',

  handler: ({ hearth, db, caller }, { q, workspace: slug, archived, sort = 'updated', ...paging }) => {
    const window = windowOf(paging)
    const workspace = slug === undefined ? null : findWorkspace(db, slug)
    // An unknown workspace gives the same empty list as one in which nothing can be seen.
    if (slug !== undefined && !workspace) return pageOf([], window, 0)
    const filter = { sight: sightOf(db, caller), q, workspace_id: workspace?.id, archived }
    const rows = listRepoRows(db, filter, sort, window)
    return pageOf(rows.map((row) => repoRecord(hearth, row, caller)), window, countRepoRows(db, filter))
  },
})
