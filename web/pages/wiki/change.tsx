import { getWikiChange, getWikiPage } from '#features/wiki/index.ts'
import {
  ActorLink,
  Breadcrumbs,
  LinkButton,
  Notice,
  PageHead,
  RelativeTime,
} from '../../components/index.ts'
import { withQuery } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import {
  ChangeView,
  choiceInput,
  readChoice,
  showPart,
  type ChangeChoice,
} from '../code/change-view.tsx'
import { repoOf } from '../repos/frame.tsx'
import { loadWiki, slugOf, wikiActionPath, WikiFrame, wikiPath } from './frame.tsx'
import { t } from '../../text.ts'

/** Reads a change. That of one page has all of its lines. */
async function readChange(visit: Visit, revision: string, choice: ChangeChoice) {
  const input = { repo: repoOf(visit), revision, ...choiceInput(choice) }
  const change = await visit.call(getWikiChange, input)
  const [file] = change.files
  return change.totals.files === 1 && file && file.reason !== null
    ? visit.call(getWikiChange, { ...input, path: file.path })
    : change
}

/** Files of a wiki have no pages of code. */
const placeOf = (repo: string) => ({ repo, sha: null })

/** What one commit changed in a page. */
export const wikiChangePage = page({
  path: '/:workspace/:repo/wiki/_change/:revision/*slug',
  load: async (visit) => {
    const repo = repoOf(visit)
    const revision = visit.params.revision ?? ''
    const choice = readChoice(visit.url)
    const [wiki, change, found] = await Promise.all([
      loadWiki(visit),
      readChange(visit, revision, choice),
      visit.call(getWikiPage, { repo, slug: slugOf(visit) }),
    ])
    const shown = await showPart(visit, placeOf(repo), change.files, choice)
    return { ...wiki, change, found, shown, choice }
  },
  view: ({ repo, around, change, found, shown, choice }, visit) => {
    const at = wikiPath(repo.full_name, found.slug)
    const { message, author, revision, files, totals } = change
    return (
      <WikiFrame visit={visit} repo={repo} around={around} title={message} noindex>
        <Breadcrumbs
          parts={[
            { label: found.title, href: at },
            { label: t('History'), href: wikiActionPath(repo.full_name, '_history', found.slug) },
            { label: revision.slice(0, 7) },
          ]}
        />
        <PageHead
          title={message || t('(no message)')}
          actions={
            <LinkButton href={withQuery(at, { revision })}>
              {t('View the page as it was then')}
            </LinkButton>
          }
        />
        <p class="muted">
          {author.actor ? <ActorLink of={author.actor} face={false} /> : author.name}{' '}
          <RelativeTime at={author.date} />
        </p>
        {files.length === 0 ? (
          <Notice>{t('This commit changed no file.')}</Notice>
        ) : (
          <ChangeView
            visit={visit}
            shown={shown}
            totals={totals}
            choice={choice}
            here={wikiActionPath(repo.full_name, `_change/${revision}`, found.slug)}
            place={placeOf(repo.full_name)}
          />
        )}
      </WikiFrame>
    )
  },
})
