import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { listAssignable } from './assignable.ts'
import { Assignee } from '../schema.ts'

const PAGE_SIZES = { size: 100 }

export const listAssignees = operation({
  name: 'list_assignees',
  summary:
    'List the people and agents that issues and pull requests of a repository that you can see can be assigned to, by username.',
  keywords: ['who can be assigned', 'possible assignees'],
  route: 'GET /repos/{owner}/{name}/assignees',
  toolset: 'issues',
  listed: 'default',
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({
    repo: RepoPath,
    q: Type.Optional(Type.String({ maxLength: 100, description: 'A part of a username or name.' })),
    ...byPage(PAGE_SIZES),
  }),
  output: ListOf(Assignee),
  list: 'page',

  handler: ({ hearth, repo }, { q = '', ...paging }) => {
    const window = windowOf(paging, PAGE_SIZES)
    return pageOf(
      listAssignable(hearth, repo, q.trim() || null, {
        limit: window.limit + 1,
        offset: window.offset,
      }),
      window,
    )
  },
})
