import { getWikiPage, HOME, type WikiPage } from '#features/wiki/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  ActorLink,
  EmptyState,
  LinkButton,
  Notice,
  PageHead,
  RelativeTime,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { shortSha } from '../../format.ts'
import { withQuery } from '../../paths.ts'
import { DirectResponse, page, pageResponse, redirect, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import {
  loadWiki,
  mayWriteWiki,
  slugOf,
  titleOfSlug,
  WikiActions,
  wikiActionPath,
  WikiFrame,
  wikiPath,
  type WikiSurroundings,
} from './frame.tsx'
import { wikiMarkdown, withPageLinks } from './text.ts'
import {
  LongTextBody,
  loadLongText,
  partTitle,
  rawText,
  type LongText,
} from '../writing/long-text.tsx'
import { rich, t } from '../../text.ts'

type Shown = {
  readonly repo: Repo
  readonly around: WikiSurroundings
  readonly slug: string
  /** Null for a page that does not exist. */
  readonly found: (WikiPage & { readonly text: LongText }) | null
}

/** The author of the last change, with an account or only as git names them. */
const LastChange = ({ found, repo }: { found: WikiPage; repo: Repo }) => (
  <p class="muted">
    {rich('{actor} changed this page {time} · <a>History</a>', {
      actor: found.author.actor ? (
        <ActorLink of={found.author.actor} face={false} />
      ) : (
        <span>{found.author.name}</span>
      ),
      time: <RelativeTime at={found.author.date} />,
      a: (inner) => <a href={wikiActionPath(repo.full_name, '_history', found.slug)}>{inner}</a>,
    })}
  </p>
)

/** Says that an earlier revision is shown. */
const OldRevision = ({ found, repo }: { found: WikiPage; repo: Repo }) => (
  <Notice>
    {rich('This is the page as of {revision}. <a>Show the newest</a>', {
      revision: <code>{shortSha(found.revision)}</code>,
      a: (inner) => <a href={wikiPath(repo.full_name, found.slug)}>{inner}</a>,
    })}
  </Notice>
)

const Actions = ({ visit, repo, found }: { visit: Visit; repo: Repo; found: WikiPage }) => (
  <>
    {mayWriteWiki(repo, visit) && (
      <LinkButton href={wikiActionPath(repo.full_name, '_edit', found.slug)} icon="edit">
        {t('Edit')}
      </LinkButton>
    )}
    <WikiActions visit={visit} repo={repo} />
  </>
)

const FoundPage = ({
  shown,
  found,
  visit,
}: {
  shown: Shown
  found: NonNullable<Shown['found']>
  visit: Visit
}) => {
  const { repo, around } = shown
  const isOld = visit.url.searchParams.has('revision')
  return (
    <WikiFrame
      visit={visit}
      repo={repo}
      around={around}
      title={partTitle(found.title, found.text)}
      current={found.slug}
      noindex={isOld || undefined}
    >
      <PageHead title={found.title} actions={<Actions visit={visit} repo={repo} found={found} />} />
      <LastChange found={found} repo={repo} />
      {isOld && <OldRevision found={found} repo={repo} />}
      {found.truncated && (
        <Notice>
          {t('This page is too long to be shown whole. Clone the wiki to read the rest.')}
        </Notice>
      )}
      <LongTextBody visit={visit} text={found.text} empty={t('This page is empty.')} />
    </WikiFrame>
  )
}

const MissingPage = ({ shown, visit }: { shown: Shown; visit: Visit }) => {
  const { repo, around, slug } = shown
  const title = titleOfSlug(slug)
  return (
    <WikiFrame visit={visit} repo={repo} around={around} title={title} noindex>
      <PageHead title={title} actions={<WikiActions visit={visit} repo={repo} />} />
      <EmptyState
        icon="book"
        title={t('This page does not exist yet')}
        actions={
          <>
            {mayWriteWiki(repo, visit) && (
              <LinkButton
                href={withQuery(wikiActionPath(repo.full_name, '_new'), { slug, title })}
                variant="primary"
              >
                {t('Create this page')}
              </LinkButton>
            )}
            <LinkButton href={wikiActionPath(repo.full_name, '_pages')}>
              {t('All pages')}
            </LinkButton>
          </>
        }
      >
        <p>{t('The wiki has no page with this name.')}</p>
      </EmptyState>
    </WikiFrame>
  )
}

/** A wiki without any page: what belongs here, and the first step. */
const EmptyWiki = ({ repo, visit }: { repo: Repo; visit: Visit }) => (
  <RepoFrame visit={visit} repo={repo} title={t('Wiki')} current="wiki" noindex>
    <PageHead title={t('Wiki')} actions={<WikiActions visit={visit} repo={repo} isEmpty />} />
    <EmptyState
      icon="book"
      title={t('No wiki pages yet')}
      actions={
        mayWriteWiki(repo, visit) ? (
          <LinkButton
            href={withQuery(wikiActionPath(repo.full_name, '_new'), { title: HOME })}
            variant="primary"
          >
            {t('Create the first page')}
          </LinkButton>
        ) : (
          <LinkButton href={`/${repo.full_name}`}>{t('Show the code')}</LinkButton>
        )
      }
    >
      <p>
        {t(
          'A wiki holds what does not belong in the code: guides, decisions, notes. Its pages are Markdown files in a git repository of their own.',
        )}
      </p>
    </EmptyState>
  </RepoFrame>
)

async function loadPage(visit: Visit, slug: string): Promise<Shown | DirectResponse> {
  const wiki = await loadWiki(visit)
  const revision = visit.url.searchParams.get('revision')
  const input = { repo: repoOf(visit), slug, ...(revision === null ? {} : { revision }) }
  const found = await visit.tryCall(getWikiPage, input)
  if (found === null) return { ...wiki, slug, found }
  const typed = rawText(visit, found.body)
  if (typed) return typed
  const options = wikiMarkdown(visit, wiki.repo.full_name, found.slug)
  const text = await loadLongText(visit, withPageLinks(found.body), options)
  return { ...wiki, slug, found: { ...found, text } }
}

const view = (shown: Shown, visit: Visit): Html =>
  shown.found === null ? (
    <EmptyWiki repo={shown.repo} visit={visit} />
  ) : (
    <FoundPage shown={shown} found={shown.found} visit={visit} />
  )

const missing = (shown: Shown, visit: Visit): DirectResponse =>
  pageResponse(visit, <MissingPage shown={shown} visit={visit} />, { status: 404 })

/** The home page; without one, the list of all pages. */
export const wikiHome = page({
  path: '/:workspace/:repo/wiki',
  load: async (visit): Promise<Shown | DirectResponse> => {
    const shown = await loadPage(visit, HOME)
    if (shown instanceof DirectResponse) return shown
    return shown.found === null && shown.around.total > 0
      ? redirect(wikiActionPath(shown.repo.full_name, '_pages'), 302)
      : shown
  },
  view,
})

export const wikiPage = page({
  path: '/:workspace/:repo/wiki/*slug',
  load: async (visit): Promise<Shown | DirectResponse> => {
    const shown = await loadPage(visit, slugOf(visit))
    if (shown instanceof DirectResponse) return shown
    const { found, repo, slug } = shown
    if (found === null) return missing(shown, visit)
    // One address for each page, whatever its links are spelt like.
    return found.slug !== slug
      ? redirect(`${wikiPath(repo.full_name, found.slug)}${visit.url.search}`, 302)
      : shown
  },
  view,
})
