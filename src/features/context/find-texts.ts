/** Finds issues, pull requests, documents and dependencies with the search index. */
import { search, type SearchResult, type SearchType } from '#features/search/index.ts'
import type { Found } from './found.ts'
import { tryCall, type Place } from './place.ts'
import { joined } from './texts.ts'
import { versionIn, MANIFESTS } from './dependencies.ts'
import { contextUrl } from './find-directory.ts'
import { longestOf } from './words.ts'

/** When too few records have all words, those with one of the longest are found too. */
const MAX_SINGLE_WORDS = 4
const MIN_SINGLE_LETTERS = 3
const MAX_PER_QUERY = 30
const MAX_NAMED_REPOS = 15

/** The part of a query that names the place. Null when the place has nothing to search. */
function qualifiersOf({ workspace, repo, project }: Place): string | null {
  if (repo !== null) return `repo:${repo}`
  if (project === null) return `org:${workspace.slug}`
  const names = project.repositories.slice(0, MAX_NAMED_REPOS)
  return names.length === 0 ? null : names.map((name) => `repo:${name}`).join(' ')
}

type Item = { readonly item: SearchResult['items'][number]; readonly trusted: boolean }

async function ask(place: Place, type: SearchType, query: string): Promise<Item[]> {
  const marked = new Set<string>()
  const answer = await tryCall(
    place,
    search,
    { query, type, per_page: MAX_PER_QUERY },
    (pointers) => {
      for (const pointer of pointers) marked.add(pointer.split('/')[2] ?? '')
    },
  )
  return (answer?.items ?? []).map((item, at) => ({ item, trusted: !marked.has(String(at)) }))
}

/** What has all the words, and then what has one of them. */
async function findWith(
  place: Place,
  words: readonly string[],
  { type, qualifier = '' }: { type: SearchType; qualifier?: string },
): Promise<Item[]> {
  const scope = qualifiersOf(place)
  if (scope === null) return []
  const quoted = words.map((word) => `"${word}"`)
  const all = await ask(place, type, `${quoted.join(' ')} ${qualifier} ${scope}`)
  if (all.length >= MAX_PER_QUERY || words.length < 2) return all
  const longest = longestOf(
    words.filter((word) => word.length >= MIN_SINGLE_LETTERS),
    MAX_SINGLE_WORDS,
  )
  for (const word of longest)
    all.push(...(await ask(place, type, `"${word}" ${qualifier} ${scope}`)))
  return all
}

const onlyOnce = (found: readonly Found[]): Found[] => [
  ...new Map(found.toReversed().map((one) => [one.key, one])).values(),
]

export async function findRecords(
  place: Place,
  words: readonly string[],
  kind: 'issue' | 'pull',
): Promise<Found[]> {
  const items = await findWith(place, words, { type: kind === 'issue' ? 'issues' : 'pulls' })
  return onlyOnce(
    items.flatMap(({ item, trusted }): Found[] => {
      if (!('number' in item)) return []
      const state = 'state' in item ? item.state : item.status
      const [comment] = item.highlights.comments
      const summary = [
        `${state}, by ${item.author.username}.`,
        joined(item.highlights.body),
        comment ? joined(comment.parts) : '',
      ]
      return [
        {
          kind,
          id: item.id,
          key: `${item.repo}#${item.number}`,
          title: item.title,
          summary: summary.join(' '),
          url: item.html_url,
          repo: item.repo,
          trusted: trusted && comment === undefined,
          updated_at: item.updated_at,
          isOpen: state === 'open' || state === 'draft',
        },
      ]
    }),
  )
}

/** Documents in Markdown, with the lines that have the words. */
export async function findDocs(place: Place, words: readonly string[]): Promise<Found[]> {
  const items = await findWith(place, words, { type: 'code', qualifier: 'language:markdown' })
  return onlyOnce(
    items.flatMap(({ item }): Found[] => {
      if (!('path' in item)) return []
      const [first] = item.matches
      const heading = item.matches
        .map(({ parts }) => joined(parts))
        .find((line) => /^#+ /.test(line))
      return [
        {
          kind: 'doc',
          id: `${item.repo}:${item.path}`,
          key: `${item.repo}:${item.path}`,
          title: heading?.replace(/^#+ /, '') ?? item.path.split('/').at(-1) ?? item.path,
          summary: item.matches.map(({ parts }) => joined(parts)).join(' … '),
          url: item.html_url,
          repo: item.repo,
          citation: `${item.repo}:${item.path}:${first?.number ?? 1}@${item.sha}`,
          updated_at: null,
        },
      ]
    }),
  )
}

/** Packages of others that a manifest names on a line with one of the words. */
export async function findDependencies(place: Place, words: readonly string[]): Promise<Found[]> {
  const scope = qualifiersOf(place)
  if (scope === null) return []
  const quoted = words.map((word) => `"${word}"`).join(' ')
  const items: Item[] = []
  // Several paths in one query would all have to match.
  for (const name of Object.keys(MANIFESTS))
    items.push(...(await ask(place, 'code', `${quoted} path:${name} ${scope}`)))
  return onlyOnce(
    items.flatMap(({ item }): Found[] => {
      if (!('path' in item)) return []
      const type = MANIFESTS[item.path.split('/').at(-1) ?? '']
      if (type === undefined) return []
      return item.matches.flatMap(({ number, parts }): Found[] => {
        const named = versionIn(type, joined(parts))
        if (named === null) return []
        const key = `${type}:${named.name}`
        return [
          {
            kind: 'dependency',
            id: key,
            key,
            title: named.name,
            summary: `${named.version} in ${item.repo}:${item.path}`,
            url: contextUrl(place, 'dependency', key),
            repo: item.repo,
            citation: `${item.repo}:${item.path}:${number}@${item.sha}`,
            updated_at: null,
          },
        ]
      })
    }),
  )
}
