import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { findWorkspace, formerWorkspace } from '#features/workspaces/index.ts'
import { repoRecords } from './repo-record.ts'
import { Repo } from '../schema.ts'
import { visibleReposOf } from '../access/visible-repos.ts'
import { countRepoRows, listRepoRows } from '../store/repos.ts'

export const listRepos = operation({
  name: 'list_repos',
  summary:
    'List the repositories that you can see: the public ones, those of your workspaces, and those that were shared with you. Narrow by text in name or description (q), by workspace and by archived.',
  keywords: ['my repositories', 'which repositories', 'all repositories', 'find a repository'],
  route: 'GET /v1/repos',
  aliases: ['list_repositories'],
  toolset: 'code',
  listed: 'default',
  access: publicRead({ scope: 'repo:read' }),
  input: Type.Object({
    q: Type.Optional(
      Type.String({ maxLength: 200, description: 'Text in the name or description.' }),
    ),
    workspace: Type.Optional(WorkspaceSlug),
    archived: Type.Optional(
      Type.Boolean({ description: 'Only archived ones, or only those that are not.' }),
    ),
    sort: Type.Optional(
      OneOf(['updated', 'created', 'name', 'pushed'], {
        description: 'updated unless given; newest first, names from a to z.',
      }),
    ),
    ...byPage(),
  }),
  output: ListOf(Repo),
  list: 'page',

  handler: (
    { hearth, db, caller },
    { q, workspace: slug, archived, sort = 'updated', ...paging },
  ) => {
    const window = windowOf(paging)
    const workspace =
      slug === undefined ? null : (findWorkspace(db, slug) ?? formerWorkspace(db, slug))
    // An unknown workspace returns the same empty list as a workspace without visible repositories.
    if (slug !== undefined && !workspace) return pageOf([], window, 0)
    const filter = { visible: visibleReposOf(db, caller), q, workspace_id: workspace?.id, archived }
    const rows = listRepoRows(db, filter, sort, window)
    return pageOf(repoRecords(hearth, rows, caller), window, countRepoRows(db, filter))
  },
})
