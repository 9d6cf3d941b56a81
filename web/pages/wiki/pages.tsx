import { listWikiPages } from '#features/wiki/index.ts'
import {
  Button,
  EmptyState,
  Field,
  Form,
  List,
  PageHead,
  Pager,
  Row,
} from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import { pageNumber } from '../../page-number.ts'
import { withQuery } from '../../paths.ts'
import { page } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { loadWiki, WikiActions, wikiActionPath, WikiFrame, wikiPath } from './frame.tsx'
import { t } from '../../text.ts'

const PER_PAGE = 100

/** All pages, with a search in their titles. */
export const wikiPagesPage = page({
  path: '/:workspace/:repo/wiki/_pages',
  load: async (visit) => {
    const q = (visit.url.searchParams.get('q') ?? '').slice(0, 200)
    const number = pageNumber(visit)
    const [wiki, pages] = await Promise.all([
      loadWiki(visit),
      visit.call(listWikiPages, { repo: repoOf(visit), q, page: number, per_page: PER_PAGE }),
    ])
    return { ...wiki, pages, q, number }
  },
  view: ({ repo, around, pages, q, number }, visit) => {
    const here = wikiActionPath(repo.full_name, '_pages')
    return (
      <WikiFrame visit={visit} repo={repo} around={around} title={t('Pages')}>
        <PageHead title={t('Pages')} actions={<WikiActions visit={visit} repo={repo} />} />
        <Form action={here} method="get" inline label={t('Find a page')}>
          <Field
            name="q"
            label={t('Title')}
            hideLabel
            type="search"
            value={q}
            placeholder={t('Find a page')}
          />
          <Button>{t('Find')}</Button>
        </Form>
        {pages.items.length === 0 ? (
          <EmptyState
            icon="book"
            title={q === '' ? t('No wiki pages yet') : t('No page has this title')}
          >
            {q !== '' && (
              <p>
                <a href={here}>{t('Show all pages')}</a>
              </p>
            )}
          </EmptyState>
        ) : (
          <List label={t('Pages')}>
            {pages.items.map(({ slug, title, size_in_bytes }) => (
              <Row
                title={
                  <a class="row-link" href={wikiPath(repo.full_name, slug)}>
                    {title}
                  </a>
                }
                meta={
                  <>
                    <span>{slug}</span>
                    <span>{bytesText(size_in_bytes)}</span>
                  </>
                }
              />
            ))}
          </List>
        )}
        <Pager
          newer={number > 1 ? withQuery(here, { q, page: number - 1 }) : null}
          older={pages.next === null ? null : withQuery(here, { q, page: number + 1 })}
        />
      </WikiFrame>
    )
  },
})
