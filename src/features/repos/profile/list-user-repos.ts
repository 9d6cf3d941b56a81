import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, Type } from '#core/schema.ts'
import { requireUser, Username } from '#features/accounts/index.ts'
import { repoRecords } from './repo-record.ts'
import { Repo } from '../schema.ts'
import { visibleReposOf } from '../access/visible-repos.ts'
import { countRepoRows, listRepoRows } from '../store/repos.ts'

/** Repositories belong to workspaces. This lists those that a person created. */
export const listUserRepos = operation({
  name: 'list_user_repos',
  summary: 'List the repositories that a person made, as far as you can see them, newest first.',
  keywords: ['repositories of a person', "someone's repositories"],
  route: 'GET /users/{username}/repos',
  toolset: 'code',
  access: publicRead({ scope: 'repo:read' }),
  input: Type.Object({ username: Username, ...byPage() }),
  output: ListOf(Repo),
  list: 'page',

  handler: ({ hearth, db, caller }, { username, ...paging }) => {
    const window = windowOf(paging)
    const filter = { visible: visibleReposOf(db, caller), created_by: requireUser(db, username).id }
    return pageOf(
      repoRecords(hearth, listRepoRows(db, filter, 'created', window), caller),
      window,
      countRepoRows(db, filter),
    )
  },
})
