// What the pages of a wiki share: addresses, the sidebar, the footer.
import { encodePath } from '#lib/percent-encoding.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  FOOTER,
  getWikiFrame,
  SIDEBAR,
  titleOfSlug,
  type WikiPageSummary,
} from '#features/wiki/index.ts'
import {
  Columns,
  CopyField,
  Dropdown,
  Icon,
  LinkButton,
  MarkdownBody,
  SideBlock,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { repoPath } from '../../paths.ts'
import type { OutputOf, Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { wikiMarkdown, withPageLinks } from './text.ts'
import { rich, t } from '../../text.ts'

export const wikiPath = (repo: string, slug = ''): string =>
  repoPath(repo, slug === '' ? '/wiki' : `/wiki/${encodePath(slug)}`)

/** The address of an action on a page: `_edit`, `_history`, `_delete`. */
export const wikiActionPath = (repo: string, action: string, slug = ''): string =>
  repoPath(repo, `/wiki/${action}${slug === '' ? '' : `/${encodePath(slug)}`}`)

/** What every page shows of the sidebar and the footer. Their own pages have the rest. */
const MAX_SIDEBAR_BYTES = 8_000
const MAX_FOOTER_BYTES = 4_000

export type WikiSurroundings = OutputOf<typeof getWikiFrame>

/** The page in the address; a link may have spaces in place of hyphens. */
export const slugOf = (visit: Visit): string => visit.params.slug ?? ''

export async function loadWiki(visit: Visit): Promise<{ repo: Repo; around: WikiSurroundings }> {
  const name = repoOf(visit)
  const [repo, around] = await Promise.all([
    visit.call(getRepo, { repo: name }),
    visit.call(getWikiFrame, { repo: name }),
  ])
  return { repo, around }
}

/** Whether the viewer may change pages. */
export const mayWriteWiki = (repo: Repo, visit: Visit): boolean =>
  visit.viewer !== null && repo.permissions.write && !repo.archived

const PageLinks = ({
  repo,
  pages,
  total,
  current,
}: {
  repo: Repo
  pages: readonly WikiPageSummary[]
  total: number
  current: string
}) => (
  <>
    <ul class="wiki-pages">
      {pages.map(({ slug, title }) => (
        <li>
          <a
            href={wikiPath(repo.full_name, slug)}
            aria-current={slug === current ? 'page' : undefined}
          >
            {slug.includes('/') ? slug.replaceAll('-', ' ') : title}
          </a>
        </li>
      ))}
    </ul>
    {total > pages.length && (
      <p>
        <a href={wikiActionPath(repo.full_name, '_pages')}>
          {rich('All {total} pages', { total })}
        </a>
      </p>
    )}
  </>
)

const Side = ({
  visit,
  repo,
  around,
  current,
}: {
  visit: Visit
  repo: Repo
  around: WikiSurroundings
  current: string
}) => {
  const mayWrite = mayWriteWiki(repo, visit)
  return (
    <>
      {around.sidebar !== null && (
        <SideBlock
          title={t('Sidebar')}
          action={
            mayWrite && <a href={wikiActionPath(repo.full_name, '_edit', SIDEBAR)}>{t('Edit')}</a>
          }
        >
          <MarkdownBody
            text={withPageLinks(around.sidebar)}
            options={wikiMarkdown(visit, repo.full_name, SIDEBAR)}
            whole={{ href: wikiPath(repo.full_name, SIDEBAR), maxBytes: MAX_SIDEBAR_BYTES }}
          />
        </SideBlock>
      )}
      {around.total > 0 && (
        <SideBlock
          title={t('Pages')}
          action={<a href={wikiActionPath(repo.full_name, '_pages')}>{t('Find')}</a>}
        >
          <PageLinks repo={repo} pages={around.pages} total={around.total} current={current} />
        </SideBlock>
      )}
      {mayWrite && around.sidebar === null && around.total > 0 && (
        <p>
          <a href={wikiActionPath(repo.full_name, '_edit', SIDEBAR)}>{t('Add a sidebar')}</a>
        </p>
      )}
    </>
  )
}

const Footer = ({
  visit,
  repo,
  around,
}: {
  visit: Visit
  repo: Repo
  around: WikiSurroundings
}) => {
  const edit = wikiActionPath(repo.full_name, '_edit', FOOTER)
  if (around.footer !== null)
    return (
      <footer class="wiki-footer" aria-label={t('Footer of the wiki')}>
        <MarkdownBody
          text={withPageLinks(around.footer)}
          options={wikiMarkdown(visit, repo.full_name, FOOTER)}
          whole={{ href: wikiPath(repo.full_name, FOOTER), maxBytes: MAX_FOOTER_BYTES }}
        />
        {mayWriteWiki(repo, visit) && (
          <p>
            <a href={edit}>{t('Edit the footer')}</a>
          </p>
        )}
      </footer>
    )
  return mayWriteWiki(repo, visit) && around.total > 0 ? (
    <footer class="wiki-footer">
      <a href={edit}>{t('Add a footer')}</a>
    </footer>
  ) : null
}

/** The clone address of the wiki, and the button for a new page. */
export const WikiActions = ({
  visit,
  repo,
  isEmpty = false,
}: {
  visit: Visit
  repo: Repo
  /** The page itself offers to create the first page. */
  isEmpty?: boolean
}) => {
  const url = `${visit.hearth.settings.site_url}/${repo.full_name}.wiki.git`
  return (
    <>
      <Dropdown
        label={t('Clone the wiki')}
        summary={
          <>
            <Icon name="code" /> {t('Clone')}
          </>
        }
        class="clone-menu"
      >
        <CopyField label={t('HTTPS address')} id="wiki-url" value={url} />
        <CopyField label={t('With git')} id="wiki-git" value={`git clone ${url}`} />
      </Dropdown>
      {!isEmpty && mayWriteWiki(repo, visit) && (
        <LinkButton href={wikiActionPath(repo.full_name, '_new')} icon="plus" variant="primary">
          {t('New page')}
        </LinkButton>
      )}
    </>
  )
}

export const WikiFrame = (props: {
  visit: Visit
  repo: Repo
  around: WikiSurroundings
  title: string
  current?: string
  noindex?: boolean
  children?: Child
}) => (
  <RepoFrame
    visit={props.visit}
    repo={props.repo}
    title={t('{title} · Wiki', { title: props.title })}
    current="wiki"
    noindex={props.noindex}
  >
    <Columns
      where="right"
      side={
        <Side
          visit={props.visit}
          repo={props.repo}
          around={props.around}
          current={props.current ?? ''}
        />
      }
    >
      {props.children}
      <Footer visit={props.visit} repo={props.repo} around={props.around} />
    </Columns>
  </RepoFrame>
)

export { titleOfSlug }
