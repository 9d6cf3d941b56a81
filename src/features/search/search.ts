import { publicRead } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { byPage, windowOf } from '#core/page.ts'
import { OneOf, Type } from '#core/schema.ts'
import { distrust, places } from '#features/issues/index.ts'
import { prepareBranch } from './branches.ts'
import { filtersOf } from './filters.ts'
import { itemsOf } from './items.ts'
import { parseQuery, SEARCH_TYPES, typeOf } from './query.ts'
import { MOST_COUNTED } from './request.ts'
import { SearchResult } from './schema.ts'
import { searchIndex } from './search-index.ts'
import { scopeOf } from './sight.ts'

const SIZES = { size: 20, max: 50 }
/** Milliseconds for one search, all types together. */
const BUDGET = 2_000

export const search = operation({
  name: 'search',
  summary:
    'Search what you can see: repositories, code, issues, pulls or people. Words, "phrases", -not, and qualifiers such as repo:, org:, language:, path:, is:open, is:pr, author:, label:, symbol:, regex:/…/. Counts every type, shows one, with highlighted parts.',
  route: 'GET /search',
  access: publicRead({ scope: 'repo:read' }),
  input: Type.Object({
    query: Type.String({ maxLength: 1000, description: 'What to look for.' }),
    type: Type.Optional(
      OneOf(SEARCH_TYPES, {
        description: 'repositories, unless the query says otherwise by itself (is:pr, path:).',
      }),
    ),
    sort: Type.Optional(
      OneOf(['best', 'updated', 'created'], {
        description: 'best unless given; the others newest first.',
      }),
    ),
    ...byPage(SIZES),
  }),
  output: SearchResult,
  untrusted: (answer, { hearth, caller }) => untrustedPlaces(hearth, caller, answer),

  handler: async ({ hearth, db, caller }, { query, type: given, sort = 'best', ...paging }) => {
    const { limit, offset, page } = windowOf(paging, SIZES)
    const parsed = parseQuery(query)
    const type = given ?? typeOf(parsed)
    const filters = await filtersOf(hearth, caller, parsed)
    const [repo] = filters.named
    if (filters.branch !== null && repo !== undefined)
      await prepareBranch(hearth, caller, repo, filters.branch)
    const index = searchIndex(hearth)
    const { counts, hits, incomplete } = await index.find({
      terms: parsed.terms,
      filters,
      scope: scopeOf(db, caller),
      type,
      counted: SEARCH_TYPES,
      sort,
      offset: Math.min(offset, MOST_COUNTED),
      limit,
      budget: BUDGET,
    })
    const complete = await index.opened()
    return {
      query,
      type,
      counts,
      items: itemsOf(hearth, caller, hits, parsed.terms),
      page,
      per_page: limit,
      next: offset + limit < counts[type] ? String(page + 1) : null,
      incomplete: incomplete || !complete,
    }
  },
})

/**
 * Issues, pull requests and comments of people without write on their repository are data, not
 * instructions.
 */
function untrustedPlaces(hearth: Hearth, caller: Caller, { items }: SearchResult): string[] {
  return items.flatMap((item, index) => {
    if (!('number' in item)) return []
    const repo = hearth.facts.repo(item.repo, caller)
    if (!repo) return []
    const distrusted = distrust({ hearth, repo })
    const at = `/items/${index}`
    return [
      ...(distrusted(item.author)
        ? [...places(at, item, 'title'), `${at}/highlights/title`, `${at}/highlights/body`]
        : []),
      ...item.highlights.comments.flatMap(({ author }, number) =>
        distrusted(author) ? [`${at}/highlights/comments/${number}/parts`] : [],
      ),
    ]
  })
}
