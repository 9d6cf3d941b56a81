import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { commitPersonLookup } from '../commits/commit-records.ts'
import { Tag } from '../schema.ts'
import { listRefsBelow } from '../store/refs.ts'
import { tagRecord } from './tag-record.ts'

export const listTags = operation({
  name: 'list_tags',
  summary:
    'List the tags of a repository that you can see, the most recently pushed first, each with the commit that it names.',
  keywords: ['all tags', 'versions tagged'],
  route: 'GET /repos/{owner}/{name}/tags',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, ...byPage() }),
  output: ListOf(Tag),
  list: 'page',

  handler: async ({ hearth, db, repo }, paging) => {
    const window = windowOf(paging)
    const { items, ...rest } = pageOf(
      listRefsBelow(db, repo.id, 'refs/tags', { limit: window.limit + 1, offset: window.offset }),
      window,
    )
    const people = commitPersonLookup(hearth)
    return {
      items: await Promise.all(items.map((ref) => tagRecord(hearth, repo, ref, people))),
      ...rest,
    }
  },
})
