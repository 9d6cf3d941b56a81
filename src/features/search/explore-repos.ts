import { publicRead } from '#core/access.ts'
import { readScope } from '#core/read-scope.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, OneOf, Type } from '#core/schema.ts'
import {
  preloadRepos,
  filterVisibleRepos,
  Repo,
  repoById,
  repoRecords,
  visibleReposOf,
} from '#features/repos/index.ts'
import { searchIndex } from './search-index.ts'
import { searchScopeOf } from './search-scope.ts'

const Choice = Type.Object({ name: Type.String(), count: Type.Integer() })

/** The repositories on the Explore page, with the languages and topics to narrow them by. */
export const exploreRepos = operation({
  name: 'explore_repos',
  summary:
    'List the repositories that you can see, with the languages and topics that most of them have.',
  route: null,
  tool: false,
  access: publicRead({ scope: 'repo:read' }),
  input: Type.Object({
    q: Type.Optional(
      Type.String({ maxLength: 200, description: 'Text in name or description, or a topic.' }),
    ),
    language: Type.Optional(Type.String({ maxLength: 60 })),
    topic: Type.Optional(Type.String({ maxLength: 60 })),
    sort: Type.Optional(OneOf(['pushed', 'created', 'name'])),
    ...byPage(),
  }),
  output: Type.Object({
    ...ListOf(Repo).properties,
    languages: Type.Array(Choice),
    topics: Type.Array(Choice),
  }),

  handler: async (
    { hearth, db, caller },
    { q = '', language, topic, sort = 'pushed', ...paging },
  ) => {
    const window = windowOf(paging)
    const { ids, total, languages, topics } = await searchIndex(hearth).explore({
      scope: searchScopeOf(db, caller),
      filter: { piece: q.trim(), language: language ?? null, topic: topic ?? null },
      order: sort,
      limit: window.limit,
      offset: window.offset,
    })
    // Checked again, because a repository may have become private since the thread read it.
    const seen = new Set(filterVisibleRepos(db, visibleReposOf(db, caller), ids))
    const rows = readScope(db, () => {
      preloadRepos(db, ids)
      return ids.flatMap((id) => (seen.has(id) ? (repoById(db, id) ?? []) : []))
    })
    const repos = repoRecords(hearth, rows, caller)
    return { ...pageOf(repos, window, total), languages, topics }
  },
})
