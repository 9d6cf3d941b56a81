import { encodePath } from '#lib/percent-encoding.ts'
import { publicRead } from '#core/access.ts'
import { reaches, type Caller, type Role } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { findRecord } from '#features/issues/index.ts'
import {
  factsOf,
  fullNameOf,
  headCommit,
  repoById,
  repoByPath,
  searchPaths,
  viewerRole,
} from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
import { missingScope } from '#core/scopes.ts'
import { NO_FILTERS } from './no-filters.ts'
import { JumpItem } from './schema.ts'
import { searchIndex } from './search-index.ts'
import { searchScopeOf } from './search-scope.ts'

const MAX_REPOS = 8
/** Of a busy machine too: without its answer the first place is the search. */
const SEARCH_BUDGET_MS = SECOND

const MAX_PAGES = 8
/** Files are searched from this many letters on. */
const MIN_FILE_LETTERS = 2
const MAX_FILES = 6

/** A page that the palette leads to, with words that find it too and who can open it. */
type KnownPage<Who> = {
  readonly title: string
  readonly path: string
  readonly words?: string
  readonly for?: Who
}

const REPO_PAGES: readonly KnownPage<Role>[] = [
  { title: 'Code', path: '', words: 'files readme' },
  { title: 'Issues', path: '/issues', words: 'bugs' },
  { title: 'New issue', path: '/issues/new', words: 'create bug report' },
  { title: 'Board', path: '/issues/board', words: 'milestones labels columns' },
  { title: 'Labels', path: '/labels' },
  { title: 'Milestones', path: '/milestones' },
  { title: 'Pull requests', path: '/pulls', words: 'prs merge reviews' },
  { title: 'New pull request', path: '/pulls/new', words: 'create pr' },
  { title: 'Branches', path: '/branches', words: 'new create branch' },
  { title: 'Tags', path: '/tags', words: 'versions new create tag' },
  { title: 'Compare', path: '/compare', words: 'diff branches' },
  { title: 'Releases', path: '/releases', words: 'downloads' },
  { title: 'New release', path: '/releases/new', words: 'create publish', for: 'write' },
  { title: 'Runs', path: '/runs', words: 'workflows actions jobs logs' },
  { title: 'Merge queue', path: '/queue' },
  { title: 'Wiki', path: '/wiki', words: 'documentation' },
  { title: 'New wiki page', path: '/wiki/_new', words: 'create', for: 'write' },
  { title: 'Insights', path: '/insights', words: 'languages contributors commits frequency' },
  { title: 'Code owners', path: '/code-owners' },
  { title: 'Activity', path: '/activity', words: 'events' },
  { title: 'Tickets', path: '/tickets', words: 'jira linear look up', for: 'read' },
  { title: 'Plans', path: '/plans', words: 'roadmap break down work', for: 'read' },
  { title: 'Memory', path: '/memory', words: 'remember notes conventions knowledge', for: 'read' },
  { title: 'Search', path: '/search', words: 'find' },
  { title: 'Agents', path: '/agents', words: 'start stop', for: 'maintain' },
  {
    title: 'Settings',
    path: '/settings',
    words: 'repository protection merge methods',
    for: 'maintain',
  },
  { title: 'Rulesets', path: '/settings/rulesets', words: 'settings protection', for: 'maintain' },
  {
    title: 'Collaborators',
    path: '/settings/collaborators',
    words: 'settings people access invite',
    for: 'admin',
  },
  {
    title: 'Variables and secrets',
    path: '/settings/variables',
    words: 'settings environments',
    for: 'admin',
  },
  { title: 'Webhooks', path: '/settings/hooks', words: 'settings deliveries', for: 'admin' },
]
const SITE_PAGES: readonly KnownPage<'user' | 'administrator'>[] = [
  { title: 'Home', path: '/', words: 'dashboard' },
  { title: 'Explore', path: '/explore', words: 'repositories' },
  { title: 'Notifications', path: '/notifications', words: 'inbox', for: 'user' },
  { title: 'New repository', path: '/new', words: 'create', for: 'user' },
  { title: 'Import repositories', path: '/import', words: 'migrate organisation', for: 'user' },
  { title: 'New workspace', path: '/workspaces/new', words: 'create', for: 'user' },
  { title: 'Your settings', path: '/settings/profile', words: 'profile account', for: 'user' },
  { title: 'Email addresses', path: '/settings/emails', words: 'settings', for: 'user' },
  {
    title: 'Password and security',
    path: '/settings/security',
    words: 'settings two-factor passkeys',
    for: 'user',
  },
  { title: 'Access tokens', path: '/settings/tokens', words: 'settings api', for: 'user' },
  { title: 'SSH keys', path: '/settings/keys', words: 'settings signing', for: 'user' },
  { title: 'Sessions', path: '/settings/sessions', words: 'settings browsers', for: 'user' },
  { title: 'Applications', path: '/settings/applications', words: 'settings oauth', for: 'user' },
  {
    title: 'Notification settings',
    path: '/settings/notifications',
    words: 'mail',
    for: 'user',
  },
  { title: 'Site status', path: '/admin', words: 'administration', for: 'administrator' },
  { title: 'Site settings', path: '/admin/settings', words: 'admin', for: 'administrator' },
  { title: 'Users', path: '/admin/users', words: 'admin suspend', for: 'administrator' },
  { title: 'Backups', path: '/admin/backups', words: 'admin', for: 'administrator' },
  { title: 'API reference', path: '/docs', words: 'help guide' },
]

/** For the quick switcher: where a few letters may lead, the most likely first. */
export const jump = operation({
  name: 'jump',
  summary:
    'Find where a few letters may lead: repositories, an issue or pull request by its number, pages and actions, files.',
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
    const pages = findPages(hearth, caller, here, fits)
    const repos = text.startsWith('#') ? [] : await findRepoItems(hearth, caller, words)
    const files = here === null ? [] : await findFileItems(hearth, caller, here, text)
    return {
      items: [
        ...(numbered ? [numbered] : []),
        ...repos,
        ...pages.slice(0, MAX_PAGES),
        ...files,
        ...findSearches(text, here),
      ],
    }
  },
})

/** The searches for a text: in this repository, and everywhere. */
function findSearches(text: string, here: string | null): JumpItem[] {
  const search = (place: string, root: string): JumpItem => ({
    kind: 'search',
    title: `Search ${place} for “${text}”`,
    detail: null,
    path: `${root}/search?q=${encodeURIComponent(text)}`,
  })
  if (text === '') return []
  return [...(here === null ? [] : [search(here, `/${here}`)]), search('everything', '')]
}

/** The pages of this repository and of the site that these words name and the caller can open. */
function findPages(
  hearth: Hearth,
  caller: Caller,
  here: string | null,
  fits: (...parts: string[]) => boolean,
): JumpItem[] {
  const named = <Who>({ title, words = '' }: KnownPage<Who>) => fits(title, words)
  const row = here === null ? null : repoByPath(hearth.db, here)
  const facts = row === null ? null : factsOf(hearth.db, row, caller)
  const role = facts === null ? null : viewerRole(facts, caller)
  const inRepo = REPO_PAGES.filter(
    (page) => named(page) && reaches(role ?? 'read', page.for ?? 'read'),
  )
  const isUser = caller.kind === 'user'
  const onSite = SITE_PAGES.filter(
    (page) =>
      named(page) &&
      (page.for === undefined || (isUser && (page.for === 'user' || caller.site_admin))),
  )
  const item = (title: string, detail: string | null, path: string) => ({
    kind: 'page' as const,
    title,
    detail,
    path,
  })
  return [
    ...(here === null ? [] : inRepo.map(({ title, path }) => item(title, here, `/${here}${path}`))),
    ...onSite.map(({ title, path }) => item(title, null, path)),
  ]
}

/** Whether a token without the scope keeps its caller from a part of a private repository. */
const lacksScope = (caller: Caller, scope: string): boolean =>
  caller.kind !== 'anonymous' && missingScope(caller.token?.scopes ?? null, scope) !== null

/** Files of the default branch. Trees that are too large to list have none. */
async function findFileItems(
  hearth: Hearth,
  caller: Caller,
  here: string,
  text: string,
): Promise<JumpItem[]> {
  const row = repoByPath(hearth.db, here)
  if (row === null || text.length < MIN_FILE_LETTERS || text.startsWith('#')) return []
  if (row.private === 1 && lacksScope(caller, 'code:read')) return []
  const commit = headCommit(hearth, row)
  if (commit === null) return []
  const { paths } = await searchPaths(hearth, { store: row.store, commit }, text, MAX_FILES).catch(
    (error: unknown) => {
      if (error instanceof Refusal) return { paths: [] }
      throw error
    },
  )
  return paths.map((path) => ({
    kind: 'file' as const,
    title: path,
    detail: null,
    path: `/${here}/blob/${encodePath(row.default_branch)}/${encodePath(path)}`,
  }))
}

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
  if (row.private === 1 && lacksScope(caller, wanted)) return null
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
