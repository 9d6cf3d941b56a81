// The feeds of repositories and workspaces. A private feed requires a sign-in, an access token, or
// a feed token in `?token=`.
import { call, type Typed } from '#core/operation.ts'
import { listIssues } from '#features/issues/index.ts'
import { feedReader, listWorkspaceEvents } from '#features/notifications/index.ts'
import { getRepo, listCommits, type Repo } from '#features/repos/index.ts'
import { listAdvisories, type Advisory } from '#features/security/index.ts'
import { Refusal } from '#lib/errors.ts'
import { renderPage, type Html } from '../../jsx/html.ts'
import { codePath, commitPath, repoPath, workspacePath } from '../../paths.ts'
import { DirectResponse, type Resource, type Visit } from '../../site.ts'
import { commitsPage } from '../code/history.tsx'
import { repoOf } from '../repos/frame.tsx'
import { feedResponse, tagUri, type AtomEntry, type AtomFeed } from './atom.ts'
import { t } from '../../text.ts'
import { translateMessage } from '../../messages.ts'

const ENTRIES = 30

/** The visit with the rights of its feed token. Throws 401 for an unknown token. */
function withFeedToken(visit: Visit): Visit {
  const token = visit.url.searchParams.get('token')
  if (token === null) return visit
  const reader = feedReader(visit.hearth, token)
  if (!reader)
    throw new Refusal(
      'unauthenticated',
      t('This feed token does not work. Make another in your settings.'),
      { reason: 'invalid_token' },
    )
  const ask = <I, O>(operation: Typed<I, O>, input: I): Promise<O> =>
    call(visit.hearth, operation, reader, input, { signal: visit.request.signal })
  return { ...visit, caller: reader, viewer: null, call: ask }
}

type FeedContent = Pick<AtomFeed, 'title' | 'url'> & {
  readonly name: string
  readonly entries: readonly AtomEntry[]
}

function answer(visit: Visit, { name, title, url, entries }: FeedContent, since: string): Response {
  const { site_url } = visit.hearth.settings
  return feedResponse(visit.request, {
    id: tagUri(site_url, since, name),
    title,
    url: site_url + url,
    self: site_url + visit.url.pathname,
    updated: since,
    entries,
  })
}

/** A feed of one repository. */
const repoFeed = (
  path: string,
  make: (
    visit: Visit,
    repo: Repo,
    tag: (name: string) => string,
  ) => Promise<FeedContent | Response>,
): Resource => ({
  path,
  respond: async (plain) => {
    const visit = withFeedToken(plain)
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const made = await make(visit, repo, (name) =>
      tagUri(visit.hearth.settings.site_url, repo.created_at, `${repo.id}/${name}`),
    )
    return made instanceof Response
      ? made
      : answer(visit, { ...made, name: `${repo.id}/${made.name}` }, repo.created_at)
  },
})

const htmlResponse = (made: Html | DirectResponse, visit: Visit): Response =>
  made instanceof DirectResponse
    ? made.response
    : new Response(renderPage(made), { headers: visit.headers })

const commitsFeed = repoFeed('/:workspace/:repo/commits/*branch.atom', async (visit, repo, tag) => {
  const branch = visit.params.branch ?? ''
  const { site_url } = visit.hearth.settings
  try {
    const { items } = repo.empty
      ? { items: [] }
      : await visit.call(listCommits, { repo: repo.full_name, ref: branch, per_page: ENTRIES })
    return {
      name: `commits/${branch}`,
      title: t('Commits of {full_name}, {branch}', { full_name: repo.full_name, branch }),
      url: codePath(repo.full_name, 'commits', branch),
      entries: items.map(
        (commit): AtomEntry => ({
          id: tag(`commit/${commit.sha}`),
          title: commit.title,
          url: site_url + commitPath(repo.full_name, commit.sha),
          author: commit.author.name,
          published: commit.author.date,
          updated: commit.committer.date,
          html: `<pre>${Bun.escapeHTML(commit.message)}</pre>`,
        }),
      ),
    }
  } catch (error) {
    if (!(error instanceof Refusal) || error.field !== 'ref') throw error
    // No branch: it may be the history of a file that is called so.
    return htmlResponse(
      await commitsPage.render({ ...visit, params: { ...visit.params, rest: `${branch}.atom` } }),
      visit,
    )
  }
})

const issuesFeed = repoFeed('/:workspace/:repo/issues.atom', async (visit, repo, tag) => {
  const { site_url } = visit.hearth.settings
  const { items } = await visit.call(listIssues, {
    repo: repo.full_name,
    state: 'all',
    per_page: ENTRIES,
  })
  return {
    name: 'issues',
    title: t('Issues of {full_name}', { full_name: repo.full_name }),
    url: repoPath(repo.full_name, '/issues'),
    entries: await Promise.all(
      items.map(
        async (issue): Promise<AtomEntry> => ({
          id: tag(`issues/${issue.number}`),
          title: `#${issue.number} ${issue.title}${issue.state === 'open' ? '' : ` (${issue.reason === 'not_planned' ? t('not planned') : t('completed')})`}`,
          url: issue.html_url,
          author: issue.author.username,
          published: issue.created_at,
          updated: issue.updated_at,
          html: await visit.markdown.render(issue.body, {
            link: { siteUrl: site_url, repo: repo.full_name },
            breaks: true,
          }),
        }),
      ),
    ),
  }
})

const advisoriesFeed = repoFeed(
  '/:workspace/:repo/security/advisories.atom',
  async (visit, repo, tag) => {
    const { items } = await visit.call(listAdvisories, { repo: repo.full_name, per_page: ENTRIES })
    const link = { siteUrl: visit.hearth.settings.site_url, repo: repo.full_name }
    return {
      name: 'advisories',
      title: t('Advisories of {full_name}', { full_name: repo.full_name }),
      url: repoPath(repo.full_name, '/security/advisories'),
      entries: await Promise.all(
        items.flatMap((advisory) =>
          advisory.published_at === null
            ? []
            : [
                advisoryEntry(
                  visit,
                  { ...advisory, published_at: advisory.published_at },
                  tag,
                  link,
                ),
              ],
        ),
      ),
    }
  },
)

async function advisoryEntry(
  visit: Visit,
  advisory: Advisory & { readonly published_at: string },
  tag: (path: string) => string,
  link: { readonly siteUrl: string; readonly repo: string },
): Promise<AtomEntry> {
  const isWithdrawn = advisory.state === 'withdrawn'
  return {
    id: tag(`advisories/${advisory.id}`),
    title: isWithdrawn ? t('Withdrawn: {title}', { title: advisory.title }) : advisory.title,
    url: advisory.html_url,
    author: link.repo.split('/')[0] ?? link.repo,
    published: advisory.published_at,
    updated: advisory.updated_at,
    html: await visit.markdown.render(advisory.description, { link }),
  }
}

/** Records of a feature that this page does not know are read with care. */
const textIn = (record: unknown, name: string): string | null => {
  const value =
    typeof record === 'object' && record !== null ? (record as Record<string, unknown>)[name] : null
  return typeof value === 'string' && value !== '' ? value : null
}

const releasesFeed = repoFeed('/:workspace/:repo/releases.atom', async (visit, repo, tag) => {
  const operation = visit.hearth.operationsByName.get('list_releases') as
    | Typed<{ repo: string }, { items: readonly unknown[] }>
    | undefined
  const items = operation ? (await visit.call(operation, { repo: repo.full_name })).items : []
  return {
    name: 'releases',
    title: t('Releases of {full_name}', { full_name: repo.full_name }),
    url: repoPath(repo.full_name, '/releases'),
    entries: (
      await Promise.all(items.map((release) => releaseEntry(visit, repo.full_name, tag, release)))
    )
      .filter((entry) => entry !== null)
      .slice(0, ENTRIES),
  }
})

/** Null for drafts, which are not published. */
async function releaseEntry(
  visit: Visit,
  repo: string,
  tag: (path: string) => string,
  release: unknown,
): Promise<AtomEntry | null> {
  const { site_url } = visit.hearth.settings
  const id = textIn(release, 'id')
  const published = textIn(release, 'published_at')
  if (id === null || published === null) return null
  const html = await visit.markdown.render(
    textIn(release, 'body') ?? textIn(release, 'notes') ?? '',
    { link: { siteUrl: site_url, repo } },
  )
  return {
    id: tag(`releases/${id}`),
    title: textIn(release, 'name') ?? textIn(release, 'tag_name') ?? id,
    url: textIn(release, 'html_url') ?? `${site_url}${repoPath(repo, '/releases')}`,
    author: textIn((release as Record<string, unknown>).author, 'username') ?? 'ghost',
    published,
    updated: published,
    html,
  }
}

const workspaceFeed: Resource = {
  path: '/:workspace.atom',
  respond: async (plain) => {
    const visit = withFeedToken(plain)
    const slug = visit.params.workspace ?? ''
    const { site_url } = visit.hearth.settings
    const { items, next } = await visit.call(listWorkspaceEvents, {
      workspace: slug,
      per_page: ENTRIES,
    })
    // For users who see no repository of it, the workspace does not exist.
    const [newest] = items
    if (!newest && next === null)
      throw new Refusal('not_found', t('There is no such page, or you may not see it.'))
    return answer(
      visit,
      {
        name: `workspaces/${slug}`,
        title: t('What happens in {slug}', { slug }),
        url: workspacePath(slug, 'activity'),
        entries: items.map(
          (event): AtomEntry => ({
            id: tagUri(site_url, event.time, event.id),
            title:
              event.repository === null
                ? translateMessage(event.summary)
                : `${event.repository.full_name}: ${translateMessage(event.summary)}`,
            url: event.url,
            author: event.actor?.username ?? 'Hearth',
            published: event.time,
            updated: event.time,
          }),
        ),
      },
      items.at(-1)?.time ?? '2020-01-01T00:00:00.000Z',
    )
  },
}

export const feeds: readonly Resource[] = [
  commitsFeed,
  issuesFeed,
  releasesFeed,
  advisoriesFeed,
  workspaceFeed,
]
