/**
 * Addresses as GitHub, GitLab and Gitea write them, for people who type them, follow an old link or
 * have them in a document. They are looked up only when this site has no such page.
 */
import { encodePath } from '#lib/percent-encoding.ts'
import { lazy } from '#lib/lazy.ts'
import { withQuery } from './paths.ts'
import { Router } from './router.ts'

type Params = Readonly<Record<string, string>>

/** Where a page is here. `:name` and `*name` are filled from the address that was asked for. */
type Target = string | ((params: Params, query: URLSearchParams) => string)

const repoOf = ({ workspace = '', repo = '' }: Params): string =>
  `/${encodeURIComponent(workspace)}/${encodeURIComponent(repo)}`

/** The issues of a repository with one qualifier. */
const issuesWith =
  (qualifier: string): Target =>
  (params) =>
    withQuery(`${repoOf(params)}/issues`, {
      q: `${qualifier}:${/\s/.test(params.value ?? '') ? `"${params.value}"` : params.value}`,
    })

/** One's own issues or pull requests, or those that the address asks for. */
const everywhere =
  (type: 'issues' | 'pulls'): Target =>
  (_, query) =>
    withQuery('/search', { q: query.get('q') ?? ['is:open', 'author:@me'].join(' '), type })

const newToken: Target = (_, query) =>
  withQuery('/settings/tokens', {
    name: query.get('name') ?? query.get('description') ?? undefined,
    scopes: query.get('scopes') ?? undefined,
  })

/** Below the address of a repository. */
const OF_REPO: Readonly<Record<string, Target>> = {
  // Pull requests
  '/pull': '/pulls',
  '/pull/new/*branch': (params) =>
    withQuery(`${repoOf(params)}/pulls/new`, { branch: params.branch }),
  '/pull/:number/files': '/pull/:number/changes',
  '/pull/:number/files/*commits': '/pull/:number/changes',
  '/pull/:number/changes/*commits': '/pull/:number/changes',
  '/pull/:number/conversation': '/pull/:number',
  '/pulls/:number': '/pull/:number',
  '/pulls/:number/files': '/pull/:number/changes',
  '/pulls/:number/files/*commits': '/pull/:number/changes',
  '/pulls/:number/commits': '/pull/:number/commits',
  '/merge_requests': '/pulls',
  '/merge_requests/new': '/pulls/new',
  '/merge_requests/:number': '/pull/:number',
  '/merge_requests/:number/diffs': '/pull/:number/changes',
  '/merge_requests/:number/commits': '/pull/:number/commits',
  '/merge_requests/:number/pipelines': '/pull/:number/checks',
  // Issues
  '/issue/:number': '/issues/:number',
  '/work_items/:number': '/issues/:number',
  '/issues/assigned/:value': issuesWith('assignee'),
  '/issues/created_by/:value': issuesWith('author'),
  '/labels/:value': issuesWith('label'),
  '/milestone/*milestone': '/milestones',
  '/milestones/*milestone': '/milestones',
  '/boards': '/issues/board',
  '/boards/*board': '/issues/board',
  '/projects': '/:workspace/-/projects',
  '/projects/*project': '/:workspace/-/projects',
  '/discussions': '/issues',
  '/discussions/*discussion': '/issues',
  // Code
  '/tree': '',
  '/blob': '',
  '/src': '',
  '/commits': '/commits/HEAD',
  '/src/branch/*rest': '/tree/*rest',
  '/src/tag/*rest': '/tree/*rest',
  '/src/commit/*rest': '/tree/*rest',
  '/raw/branch/*rest': '/raw/*rest',
  '/raw/tag/*rest': '/raw/*rest',
  '/raw/commit/*rest': '/raw/*rest',
  '/raw/refs/heads/*rest': '/raw/*rest',
  '/raw/refs/tags/*rest': '/raw/*rest',
  '/media/branch/*rest': '/raw/*rest',
  '/commits/branch/*rest': '/commits/*rest',
  '/commits/tag/*rest': '/commits/*rest',
  '/commits/commit/*rest': '/commits/*rest',
  '/blame/branch/*rest': '/blame/*rest',
  '/blame/commit/*rest': '/blame/*rest',
  '/_edit/*rest': '/edit/*rest',
  '/_new/*rest': '/new/*rest',
  '/_delete/*rest': '/delete/*rest',
  '/find_file/*rest': '/find/*rest',
  '/commit/:sha/*part': '/commit/:sha',
  '/branches/*view': '/branches',
  '/tags/*tag': '/releases/tag/*tag',
  '/zipball/*ref': '/archive/*ref.zip',
  '/tarball/*ref': '/archive/*ref.tar.gz',
  '/network': '/insights',
  '/network/dependencies': '/security/dependencies',
  '/network/*view': '/insights',
  '/graphs/*view': '/insights',
  '/graph': '/commits/HEAD',
  '/pulse': '/insights',
  '/contributors': '/insights',
  '/stargazers': '',
  '/stars': '',
  '/watchers': '',
  '/forks': '',
  // Releases, runs, wiki
  '/releases/edit/*tag': '/releases/tag/*tag',
  '/releases/:tag/downloads/:name': '/releases/download/:tag/:name',
  '/actions': '/runs',
  '/actions/new': '/runs',
  '/actions/caches': '/runs/caches',
  '/actions/workflows/:file': '/runs',
  '/actions/runs/*run': '/runs',
  '/pipelines': '/runs',
  '/pipelines/*run': '/runs',
  '/jobs': '/runs',
  '/jobs/*job': '/runs',
  '/environments': '/deployments',
  '/wikis': '/wiki',
  '/wikis/*slug': '/wiki/*slug',
  '/wiki/:slug/_edit': '/wiki/_edit/:slug',
  '/wiki/:slug/_history': '/wiki/_history/:slug',
  // Security and settings
  '/security/policy': '/security',
  '/security/dependabot': '/security/dependency-alerts',
  '/security/dependabot/*alert': '/security/dependency-alerts',
  '/security/secret-scanning': '/security/secrets',
  '/security/secret-scanning/*alert': '/security/secrets',
  '/settings/access': '/settings/collaborators',
  '/settings/collaboration': '/settings/collaborators',
  '/settings/branches': '/settings/rulesets',
  '/settings/branches/*rule': '/settings/rulesets',
  '/settings/branch_protection_rules/*rule': '/settings/rulesets',
  '/settings/rules': '/settings/rulesets',
  '/settings/rules/*rule': '/settings/rulesets',
  '/settings/tag_protection': '/settings/rulesets',
  '/settings/secrets': '/settings/variables',
  '/settings/secrets/*kind': '/settings/variables',
  '/settings/variables/*kind': '/settings/variables',
  '/settings/ci_cd': '/settings/variables',
  '/settings/actions': '/settings/runners',
  '/settings/actions/*page': '/settings/runners',
  '/settings/security_analysis': '/security/secrets/settings',
  '/settings/repository': '/settings',
  '/settings/options': '/settings',
  '/settings/pages': '/settings',
  '/edit': '/settings',
  '/project_members': '/settings/collaborators',
}

/** Below the address of a workspace. */
const OF_WORKSPACE: Readonly<Record<string, string>> = {
  '': '',
  '/dashboard': '',
  '/repositories': '',
  '/people': '/-/members',
  '/members': '/-/members',
  '/teams': '/-/teams',
  '/teams/:team': '/-/teams/:team',
  '/projects': '/-/projects',
  '/packages': '/-/packages',
  '/settings': '/-/settings',
  '/settings/*page': '/-/settings',
}

const OF_SITE: Readonly<Record<string, Target>> = {
  '/join': '/register',
  '/signup': '/register',
  '/sign_up': '/register',
  '/user/sign_up': '/register',
  '/users/sign_up': '/register',
  '/signin': '/login',
  '/sign_in': '/login',
  '/user/login': '/login',
  '/users/sign_in': '/login',
  '/password_reset': '/forgot',
  '/user/forgot_password': '/forgot',
  '/users/password/new': '/forgot',
  '/dashboard': '/',
  '/issues': everywhere('issues'),
  '/pulls': everywhere('pulls'),
  '/stars': '/explore',
  '/trending': '/explore',
  '/explore/*what': '/explore',
  '/new/import': '/import',
  '/repo/create': '/new',
  '/repo/migrate': '/import',
  '/projects/new': '/new',
  '/organizations/new': '/workspaces/new',
  '/account/organizations/new': '/workspaces/new',
  '/org/create': '/workspaces/new',
  '/groups/new': '/workspaces/new',
  '/help': '/docs/running',
  '/api': '/docs',
  '/settings/account': '/settings/security',
  '/settings/admin': '/settings/profile',
  '/settings/password': '/settings/security',
  '/settings/ssh': '/settings/keys',
  '/settings/ssh/new': '/settings/keys',
  '/settings/gpg': '/settings/keys',
  '/settings/installations': '/settings/applications',
  '/settings/developers': '/settings/applications',
  '/settings/organizations': '/',
  '/settings/repositories': '/',
  '/settings/tokens/new': newToken,
  '/settings/personal-access-tokens': '/settings/tokens',
  '/settings/personal-access-tokens/new': newToken,
  '/user/settings': '/settings/profile',
  '/user/settings/keys': '/settings/keys',
  '/user/settings/applications': '/settings/tokens',
  '/user/settings/*page': '/settings/profile',
  '/-/profile': '/settings/profile',
  '/-/profile/personal_access_tokens': newToken,
  '/-/user_settings/personal_access_tokens': newToken,
  '/-/user_settings/ssh_keys': '/settings/keys',
}

const fill = (target: string, params: Params): string =>
  target.replace(/:(\w+)|\*(\w+)/g, (_, name: string | undefined, rest: string) =>
    name === undefined ? encodePath(params[rest] ?? '') : encodeURIComponent(params[name] ?? ''),
  )

/** Made when the first address is looked up, which a start does not wait for. */
const routes = lazy(
  () =>
    new Router<Target>([
      ...Object.entries(OF_SITE),
      ...['/orgs', '/organizations', '/groups'].flatMap((prefix) =>
        Object.entries(OF_WORKSPACE).map(
          ([path, target]) => [`${prefix}/:workspace${path}`, `/:workspace${target}`] as const,
        ),
      ),
      ['/:workspace/-/group_members', '/:workspace/-/members'],
      ...Object.entries(OF_REPO).map(([path, target]) => {
        const isElsewhere = typeof target !== 'string' || target.startsWith('/:workspace')
        return [
          `/:workspace/:repo${path}`,
          isElsewhere ? target : `/:workspace/:repo${target}`,
        ] as const
      }),
      // GitLab puts everything of a project below a dash.
      ['/:workspace/:repo/-/*rest', '/:workspace/:repo/*rest'],
    ]),
)

/**
 * Where a page of another forge is on this site; null for addresses that none of them has. Nothing
 * is read for it, so it says nothing about what exists.
 */
export function addressHere(url: URL): string | null {
  const found = routes().find(url.pathname)
  // Below a dash are pages of workspaces, which this site has itself.
  if (found === null || found.params.repo === '-') return null
  const { value: target, params } = found
  if (typeof target !== 'string') return target(params, url.searchParams)
  return fill(target, params)
}
