import { getWikiChange, getWikiPage } from '#features/wiki/index.ts'
import {
  ActorLink,
  Breadcrumbs,
  DiffView,
  LinkButton,
  Notice,
  PageHead,
  RelativeTime,
} from '../../components/index.ts'
import { withQuery } from '../../paths.ts'
import { page } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { loadWiki, slugOf, wikiActionPath, WikiFrame, wikiPath } from './frame.tsx'
import { t } from '../../text.ts'

/** What one commit changed in a page. */
export const wikiChangePage = page({
  path: '/:workspace/:repo/wiki/_change/:revision/*slug',
  load: async (visit) => {
    const repo = repoOf(visit)
    const revision = visit.params.revision ?? ''
    const [wiki, change, found] = await Promise.all([
      loadWiki(visit),
      visit.call(getWikiChange, { repo, revision }),
      visit.call(getWikiPage, { repo, slug: slugOf(visit) }),
    ])
    return { ...wiki, change, found }
  },
  view: ({ repo, around, change, found }, visit) => {
    const at = wikiPath(repo.full_name, found.slug)
    const { message, author, revision, files } = change
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
          <DiffView files={files} />
        )}
      </WikiFrame>
    )
  },
})
