import { publicRead } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { findRecord } from '#features/issues/index.ts'
import { factsOf, fullNameOf, repoById, repoByPath, viewerRole } from '#features/repos/index.ts'
import { missingScope } from '#core/scopes.ts'
import { NO_FILTERS } from './no-filters.ts'
import { JumpItem } from './schema.ts'
import { searchIndex } from './search-index.ts'
import { searchScopeOf } from './search-scope.ts'

const MAX_REPOS = 8
const SEARCH_BUDGET_MS = 300

/** Pages of a repository and of the site, with additional words that find them. */
const REPO_PAGES: readonly (readonly [title: string, path: string, words: string])[] = [
  ['Code', '', 'files readme'],
  ['Issues', '/issues', 'bugs'],
  ['New issue', '/issues/new', 'bug report'],
  ['Board', '/issues/board', 'milestones labels columns'],
  ['Pull requests', '/pulls', 'prs merge reviews'],
  ['Branches', '/branches', ''],
  ['Tags', '/tags', 'versions'],
  ['Activity', '/activity', 'events'],
  ['Search', '/search', 'find'],
]
const SITE_PAGES: readonly (readonly [
  title: string,
  path: string,
  words: string,
  signedIn: boolean,
])[] = [
  ['Home', '/', 'dashboard', false],
  ['Explore', '/explore', 'repositories', false],
  ['Notifications', '/notifications', 'inbox', true],
  ['New repository', '/new', 'make', true],
  ['New workspace', '/workspaces/new', 'make', true],
  ['Your settings', '/settings/profile', 'profile account', true],
  ['Access tokens', '/settings/tokens', 'api', true],
  ['SSH keys', '/settings/keys', 'signing', true],
  ['API reference', '/docs', 'help', false],
]

/** For the quick switcher: where a few letters may lead, the most likely first. */
export const jump = operation({
  name: 'jump',
  summary:
    'Find where a few letters may lead: repositories, an issue or pull request by its number, pages.',
  route: null,
  tool: false,
  access: publicRead({ scope: 'repo:read' }),
  input: Type.Object({ query: Type.String({ maxLength: 200 }), repo: Type.Optional(RepoPath) }),
  output: Type.Object({ items: Type.Array(JumpItem) }),

  handler: async ({ hearth, caller }, { query, repo }) => {
    const text = query.trim()
    const here = repo === undefined ? null : findVisibleName(hearth, caller, repo)
    const numbered = findRecordItem(hearth, caller, text, here)
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    const fits = (...parts: string[]) =>
      words.every((word) =>
        parts.some((part) =>
          part
            .toLowerCase()
            .split(/[\s/]+/)
            .some((one) => one.startsWith(word)),
        ),
      )
    const pages = [
      ...(here === null
        ? []
        : REPO_PAGES.filter(([title, , more]) => fits(title, more)).map(([title, path]) => ({
            kind: 'page' as const,
            title,
            detail: here,
            path: `/${here}${path}`,
          }))),
      ...SITE_PAGES.filter(
        ([title, , more, person]) => fits(title, more) && (!person || caller.kind === 'user'),
      ).map(([title, path]) => ({ kind: 'page' as const, title, detail: null, path })),
    ]
    const repos = text.startsWith('#') ? [] : await findRepoItems(hearth, caller, words)
    const everything =
      text === ''
        ? []
        : [
            ...(here === null
              ? []
              : [
                  {
                    kind: 'search' as const,
                    title: `Search ${here} for “${text}”`,
                    detail: null,
                    path: `/${here}/search?q=${encodeURIComponent(text)}`,
                  },
                ]),
            {
              kind: 'search' as const,
              title: `Search everything for “${text}”`,
              detail: null,
              path: `/search?q=${encodeURIComponent(text)}`,
            },
          ]
    return {
      items: [...(numbered ? [numbered] : []), ...repos, ...pages.slice(0, 8), ...everything],
    }
  },
})

/** Returns the full name of a repository that the caller can see; null otherwise. */
function findVisibleName(hearth: Hearth, caller: Caller, path: string): string | null {
  const row = repoByPath(hearth.db, path)
  const facts = row && row.parent_id === null ? factsOf(hearth.db, row, caller) : null
  const allowed =
    facts &&
    !facts.deleted &&
    (!facts.private || (viewerRole(facts, caller) !== null && !facts.two_factor_missing))
  return allowed ? facts.full_name : null
}

/** Finds `#12` or `12` in this repository, and `owner/name#12` in any. */
function findRecordItem(
  hearth: Hearth,
  caller: Caller,
  text: string,
  here: string | null,
): JumpItem | null {
  const [, named, number] = /^(?:([^\s#/]+\/[^\s#]+)#|#?)(\d{1,9})$/.exec(text) ?? []
  const name = named === undefined ? here : findVisibleName(hearth, caller, named)
  const row = name === null ? null : repoByPath(hearth.db, name)
  const record = row && number !== undefined ? findRecord(hearth.db, row.id, Number(number)) : null
  if (!record || !row) return null
  const wanted = record.kind === 'pull' ? 'pulls:read' : 'issues:read'
  if (
    row.private === 1 &&
    caller.kind !== 'anonymous' &&
    missingScope(caller.token?.scopes ?? null, wanted) !== null
  )
    return null
  return {
    kind: record.kind,
    title: record.title,
    detail: `${name}#${record.number}`,
    path: `/${name}/${record.kind === 'pull' ? 'pull' : 'issues'}/${record.number}`,
  }
}

async function findRepoItems(
  hearth: Hearth,
  caller: Caller,
  words: readonly string[],
): Promise<JumpItem[]> {
  const { hits } = await searchIndex(hearth).find({
    terms: words.map((text) => ({ text, phrase: false, not: false })),
    filters: NO_FILTERS,
    scope: searchScopeOf(hearth.db, caller),
    type: 'repositories',
    counted: [],
    sort: 'best',
    offset: 0,
    limit: MAX_REPOS,
    budgetMs: SEARCH_BUDGET_MS,
  })
  if (hits.type !== 'repositories') return []
  return hits.ids.flatMap((id) => {
    const row = repoById(hearth.db, id)
    const name = row && findVisibleName(hearth, caller, fullNameOf(hearth.db, row))
    return name && row
      ? [{ kind: 'repository' as const, title: name, detail: row.description, path: `/${name}` }]
      : []
  })
}
