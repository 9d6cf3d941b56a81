import { getWikiPage, listWikiRevisions } from '#features/wiki/index.ts'
import {
  ActorLink,
  Avatar,
  beginningOfText,
  Breadcrumbs,
  List,
  PageHead,
  Pager,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { shortSha } from '../../format.ts'
import { pageNumber } from '../../page-number.ts'
import { withQuery } from '../../paths.ts'
import { page } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { loadWiki, slugOf, wikiActionPath, WikiFrame, wikiPath } from './frame.tsx'
import { rich, t } from '../../text.ts'

/** What the list shows of a message. The page of the change has all of it. */
const MAX_MESSAGE_BYTES = 500

/** Who changed a page, when and why. */
export const wikiHistoryPage = page({
  path: '/:workspace/:repo/wiki/_history/*slug',
  load: async (visit) => {
    const number = pageNumber(visit)
    const place = { repo: repoOf(visit), slug: slugOf(visit) }
    const [wiki, found, revisions] = await Promise.all([
      loadWiki(visit),
      visit.call(getWikiPage, place),
      visit.call(listWikiRevisions, { ...place, page: number }),
    ])
    return { ...wiki, found, revisions, number }
  },
  view: ({ repo, around, found, revisions, number }, visit) => {
    const here = wikiActionPath(repo.full_name, '_history', found.slug)
    const at = wikiPath(repo.full_name, found.slug)
    return (
      <WikiFrame
        visit={visit}
        repo={repo}
        around={around}
        title={t('History of {title}', { title: found.title })}
        current={found.slug}
        noindex
      >
        <Breadcrumbs parts={[{ label: found.title, href: at }, { label: t('History') }]} />
        <PageHead title={t('History of {title}', { title: found.title })} />
        <List label={t('Changes')}>
          {revisions.items.map(({ revision, message, author }) => (
            <Row
              mark={<Avatar of={author.actor ?? { username: author.name }} size={24} />}
              title={
                <a
                  class="row-link"
                  href={wikiActionPath(repo.full_name, `_change/${revision}`, found.slug)}
                >
                  {beginningOfText(message, MAX_MESSAGE_BYTES) || t('(no message)')}
                </a>
              }
              meta={
                <>
                  <span>
                    {author.actor ? <ActorLink of={author.actor} face={false} /> : author.name}
                  </span>
                  <RelativeTime at={author.date} />
                </>
              }
              end={
                <a href={withQuery(at, { revision })}>
                  {rich('View at {revision}', { revision: <code>{shortSha(revision)}</code> })}
                </a>
              }
            />
          ))}
        </List>
        <Pager
          newer={number > 1 ? withQuery(here, { page: number - 1 }) : null}
          older={revisions.next === null ? null : withQuery(here, { page: number + 1 })}
        />
      </WikiFrame>
    )
  },
})
