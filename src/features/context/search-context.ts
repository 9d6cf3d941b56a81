import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { nextTurn } from '#lib/waiting.ts'
import { findMemories, findRuns, findTickets } from './find-memories.ts'
import { findOwners, findPackages, findProjects, findRepos } from './find-directory.ts'
import { findDependencies, findDocs, findRecords } from './find-texts.ts'
import { itemOf, type Found } from './found.ts'
import { placeOf, type Place } from './place.ts'
import { ContextItems, ENTITY_KINDS, type ContextItem, type EntityKind } from './schema.ts'
import { queryWords } from './words.ts'

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 50
/** How far a search can be paged. */
const MAX_FOUND = 200
const MAX_QUERY_CHARS = 500
const MIN_TOKENS = 100
const MAX_TOKENS = 20_000
/** Of JSON in English; close enough for a budget. */
const BYTES_PER_TOKEN = 3.5

type Finder = (place: Place, words: readonly string[], query: string) => Found[] | Promise<Found[]>

const FINDERS: Readonly<Record<EntityKind, Finder>> = {
  project: findProjects,
  repo: findRepos,
  package: findPackages,
  dependency: findDependencies,
  owner: findOwners,
  issue: (place, words) => findRecords(place, words, 'issue'),
  pull: (place, words) => findRecords(place, words, 'pull'),
  memory: findMemories,
  doc: findDocs,
  run: findRuns,
  ticket: (place, _, query) => findTickets(place, query),
}

const tokensOf = (item: ContextItem): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify(item)) / BYTES_PER_TOKEN)

/** As many items as the budget pays for, at least one, so that a cursor always gets on. */
function withinBudget(items: readonly ContextItem[], budget: number) {
  let tokens = 0
  const taken: ContextItem[] = []
  for (const item of items) {
    const cost = tokensOf(item)
    if (taken.length > 0 && tokens + cost > budget) break
    taken.push(item)
    tokens += cost
  }
  return { taken, tokens }
}

function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (!/^[1-9]\d{0,2}$/.test(cursor))
    throw invalid('cursor', 'this is not a cursor that a search gave')
  return Number(cursor)
}

export const searchContext = operation({
  name: 'search_context',
  summary:
    'Search what surrounds the work in a workspace: projects, repos, packages, dependencies, owners, issues, pulls, memories, docs, runs, tickets; the best first, each with a citation. Narrow with repo, project and kinds; max_tokens bounds the answer. For members; what you cannot read is left out.',
  keywords: [
    'find context',
    'who owns',
    'what is related',
    'knowledge',
    'background',
    'docs about',
  ],
  route: 'GET /workspaces/{workspace}/context/search',
  toolset: 'code',
  access: readsWorkspace({ scope: 'memory:read' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    query: Type.String({ minLength: 1, maxLength: MAX_QUERY_CHARS, description: 'Words.' }),
    repo: Type.Optional(
      Type.String({ maxLength: 160, description: 'Only of this repository of the workspace.' }),
    ),
    project: Type.Optional(Type.String({ maxLength: 100, description: 'The slug of a project.' })),
    kinds: Type.Optional(Type.Array(OneOf(ENTITY_KINDS), { maxItems: ENTITY_KINDS.length })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_LIMIT,
        description: `${DEFAULT_LIMIT} unless given.`,
      }),
    ),
    max_tokens: Type.Optional(
      Type.Integer({
        minimum: MIN_TOKENS,
        maximum: MAX_TOKENS,
        description: 'About how many tokens the items may be.',
      }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: 10, description: 'The `next` of the answer before.' }),
    ),
  }),
  output: ContextItems,
  annotations: { openWorld: true },
  untrusted: ({ items }) =>
    items.flatMap(({ trusted }, at) =>
      trusted ? [] : [`/items/${at}/title`, `/items/${at}/summary`],
    ),

  handler: async ({ hearth, caller, workspace, now_ms, signal }, input) => {
    const { query, limit = DEFAULT_LIMIT, max_tokens = MAX_TOKENS } = input
    const offset = offsetOf(input.cursor)
    const place = await placeOf({ hearth, caller, workspace, now_ms }, input)
    const words = queryWords(query)
    if (words.length === 0) throw invalid('query', 'query has no word to look for')
    const items: ContextItem[] = []
    for (const kind of new Set(input.kinds ?? ENTITY_KINDS)) {
      // Each of them reads a page of another list.
      await nextTurn()
      signal.throwIfAborted()
      const found = await FINDERS[kind](place, words, query)
      items.push(...found.map((one) => itemOf(place, words, one)))
    }
    items.sort(
      (a, b) =>
        b.score - a.score ||
        (b.updated_at ?? '').localeCompare(a.updated_at ?? '') ||
        (a.key < b.key ? -1 : 1),
    )
    const rest = items.slice(0, MAX_FOUND).slice(offset)
    const { taken, tokens } = withinBudget(rest.slice(0, limit), max_tokens)
    return {
      items: taken,
      next: rest.length > taken.length && taken.length > 0 ? String(offset + taken.length) : null,
      tokens,
    }
  },
})
