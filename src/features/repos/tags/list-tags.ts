import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, OneOf, RepoPath, Type } from '#core/schema.ts'
import { commitPersonLookup } from '../commits/commit-records.ts'
import { tagOf } from '../refs/ref-names.ts'
import { Tag } from '../schema.ts'
import { listRefsBelow } from '../store/refs.ts'
import { releasesOf, tagRecord } from './tag-record.ts'
import { listTagsByVersion } from './tags-by-version.ts'

export const listTags = operation({
  name: 'list_tags',
  summary:
    'List the tags of a repository that you can see, the most recently pushed or the highest version first, each with the commit that it names.',
  keywords: ['all tags', 'versions tagged'],
  route: 'GET /repos/{owner}/{name}/tags',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Text in the name.' })),
    sort: Type.Optional(OneOf(['recent', 'version'], { default: 'recent' })),
    ...byPage(),
  }),
  output: ListOf(Tag),
  list: 'page',

  handler: async ({ hearth, db, repo }, { q, sort, ...paging }) => {
    const window = windowOf(paging)
    const wanted = { q: q || undefined, limit: window.limit + 1, offset: window.offset }
    const refs =
      sort === 'version'
        ? listTagsByVersion(db, repo.id, wanted)
        : listRefsBelow(db, repo.id, 'refs/tags', wanted)
    const { items, ...rest } = pageOf(refs, window)
    const people = commitPersonLookup(hearth)
    const tags = items.map(({ name }) => tagOf(name) ?? '')
    const releases = releasesOf(hearth, repo.id, tags)
    return {
      items: await Promise.all(items.map((ref) => tagRecord(hearth, repo, ref, people, releases))),
      ...rest,
    }
  },
})
