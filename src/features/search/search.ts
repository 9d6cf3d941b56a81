import { publicRead } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { byPage, windowOf } from '#core/page.ts'
import { OneOf, Type } from '#core/schema.ts'
import { preloadAuthors, untrustedAuthors, textPointers } from '#features/issues/index.ts'
import { prepareBranch } from './index-branch.ts'
import { resolveFilters } from './filters.ts'
import { resultItems } from './result-items.ts'
import { parseQuery, SEARCH_TYPES, impliedType } from './query.ts'
import { MAX_COUNTED } from './find-request.ts'
import { SearchResult } from './schema.ts'
import { searchIndex } from './search-index.ts'
import { searchScopeOf } from './search-scope.ts'

const PAGE_SIZES = { size: 20, max: 50 }
/** Time for one search over all types. */
const SEARCH_BUDGET_MS = 2_000
/** Records of each other type that a search without a type answers. */
const BEST_OF_OTHERS = 3

export const search = operation({
  name: 'search',
  summary:
    'Search what you can see: repositories, code, issues, pulls or people. Words, "phrases", -not, and qualifiers such as repo:, org:, language:, path:, is:open, is:pr, author:, label:, symbol:, regex:/…/. Counts every type, shows one with highlighted parts, and without type the best of each.',
  keywords: [
    'find code',
    'find a function',
    'grep',
    'search code',
    'where is it used',
    'find text',
    'look for',
    'find an issue about',
    'find a symbol',
    'who uses a function',
  ],
  route: 'GET /search',
  aliasInputs: {
    search_code: { type: 'code' },
    search_issues: { type: 'issues' },
    search_repositories: { type: 'repositories' },
    search_users: { type: 'people' },
  },
  toolset: 'code',
  listed: 'core',
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
    ...byPage(PAGE_SIZES),
  }),
  output: SearchResult,
  untrusted: (answer, { hearth, caller }) => listUntrustedTexts(hearth, caller, answer),

  handler: async ({ hearth, db, caller }, { query, type: given, sort = 'best', ...paging }) => {
    const { limit, offset, page } = windowOf(paging, PAGE_SIZES)
    const parsed = parseQuery(query)
    const type = given ?? impliedType(parsed)
    const filters = await resolveFilters(hearth, caller, parsed)
    const [repo] = filters.named
    if (filters.branch !== null && repo !== undefined)
      await prepareBranch(hearth, caller, repo, filters.branch)
    const index = searchIndex(hearth)
    const isBroad = given === undefined && type === 'repositories' && page === 1
    const { counts, hits, best, incomplete } = await index.find({
      terms: parsed.terms,
      filters,
      scope: searchScopeOf(db, caller),
      type,
      counted: SEARCH_TYPES,
      ...(isBroad ? { best: BEST_OF_OTHERS } : {}),
      sort,
      offset: Math.min(offset, MAX_COUNTED),
      limit,
      budgetMs: SEARCH_BUDGET_MS,
    })
    const complete = await index.opened()
    return {
      query,
      type,
      counts,
      items: resultItems(hearth, caller, hits, parsed.terms),
      best: isBroad
        ? best.map((other) => ({
            type: other.type,
            items: resultItems(hearth, caller, other, parsed.terms),
          }))
        : null,
      page,
      per_page: limit,
      next: offset + limit < counts[type] ? String(page + 1) : null,
      incomplete: incomplete || !complete,
    }
  },
})

/** Texts by people without write access are data for an agent, not instructions. */
function listUntrustedTexts(
  hearth: Hearth,
  caller: Caller,
  { items, best }: SearchResult,
): string[] {
  return [
    ...untrustedTextsIn(hearth, caller, items, '/items'),
    ...(best ?? []).flatMap((other, index) =>
      untrustedTextsIn(hearth, caller, other.items, `/best/${index}/items`),
    ),
  ]
}

function untrustedTextsIn(
  hearth: Hearth,
  caller: Caller,
  items: SearchResult['items'],
  list: string,
): string[] {
  const records = items.filter((item) => 'number' in item)
  const judges = new Map(
    [...Map.groupBy(records, ({ repo }) => repo)].flatMap(([name, ofRepo]) => {
      const repo = hearth.facts.repo(name, caller)
      if (!repo) return []
      preloadAuthors(
        { hearth, repo },
        ofRepo.flatMap(({ author, highlights }) => [
          author,
          ...highlights.comments.map((comment) => comment.author),
        ]),
      )
      return [[name, untrustedAuthors({ hearth, repo })] as const]
    }),
  )
  return items.flatMap((item, index) => {
    const distrusted = 'number' in item ? judges.get(item.repo) : undefined
    if (!('number' in item) || distrusted === undefined) return []
    const at = `${list}/${index}`
    return [
      ...(distrusted(item.author)
        ? [...textPointers(at, item, 'title'), `${at}/highlights/title`, `${at}/highlights/body`]
        : []),
      ...item.highlights.comments.flatMap(({ author }, number) =>
        distrusted(author) ? [`${at}/highlights/comments/${number}/parts`] : [],
      ),
    ]
  })
}
