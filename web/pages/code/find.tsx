// Finds files by letters of their path. With the script the list follows the typing.
import { encodePath } from '#lib/percent-encoding.ts'
import { findFiles, type Repo } from '#features/repos/index.ts'
import {
  Button,
  EmptyState,
  Field,
  Form,
  Icon,
  LinkButton,
  PageHead,
} from '../../components/index.ts'
import { codePath, repoPath } from '../../paths.ts'
import { DirectResponse, page, redirect } from '../../site.ts'
import { RepoFrame } from '../repos/frame.tsx'
import { locate } from './frame.tsx'
import { rich, t } from '../../text.ts'

const MAX_FOUND = 50

export const findPath = (repo: string, ref: string): string =>
  repoPath(repo, `/find/${encodePath(ref)}`)

/** The button that leads to the finder from the pages of code. */
export const FindFileLink = ({ repo, rev }: { repo: Repo; rev: string }) => (
  <LinkButton
    href={findPath(repo.full_name, rev)}
    variant="quiet"
    icon="search"
    hotkey="t"
    label={t('Go to file')}
  />
)

const FoundFiles = ({ repo, rev, paths }: { repo: string; rev: string; paths: string[] }) => (
  <ul class="found-files" aria-label={t('Files')}>
    {paths.map((path) => (
      <li>
        <a href={codePath(repo, 'blob', rev, path)}>
          <Icon name="file" />
          <span class="mono">
            <span class="muted">{path.slice(0, path.lastIndexOf('/') + 1)}</span>
            {path.slice(path.lastIndexOf('/') + 1)}
          </span>
        </a>
      </li>
    ))}
  </ul>
)

export const findPage = page({
  path: '/:workspace/:repo/find/*rest',
  load: async (visit) => {
    const located = await locate(visit, 'tree')
    if (located instanceof DirectResponse) return located
    const { name, repo, at } = located
    if (at.sha === null) return redirect(repoPath(repo.full_name), 302)
    const query = (visit.url.searchParams.get('q') ?? '').slice(0, 200)
    const found = await visit.call(findFiles, {
      repo: name,
      ref: at.sha,
      query,
      most: MAX_FOUND,
    })
    return { repo, rev: at.ref, query, found }
  },
  view: ({ repo, rev, query, found }, visit) => (
    <RepoFrame visit={visit} repo={repo} title={t('Go to file')} current="code" width="narrow">
      <PageHead
        title={t('Go to file')}
        lead={rich('Files of {rev}, found by letters of their path.', { rev: <code>{rev}</code> })}
      />
      <Form
        action={findPath(repo.full_name, rev)}
        method="get"
        class="compare-pick"
        label={t('Go to file')}
        listSearch="found"
      >
        <Field
          name="q"
          label={t('Path')}
          type="search"
          mono
          value={query}
          maxlength={200}
          autofocus
          autocomplete="off"
          unmarked
        />
        <Button>{t('Find')}</Button>
      </Form>
      <div id="found" data-list>
        {found.paths.length === 0 ? (
          <EmptyState icon="file" title={t('No files found')}>
            {rich('Use fewer letters, or <a>browse files</a>.', {
              a: (inner) => <a href={codePath(repo.full_name, 'tree', rev)}>{inner}</a>,
            })}
          </EmptyState>
        ) : (
          <FoundFiles repo={repo.full_name} rev={rev} paths={found.paths} />
        )}
        {!found.complete && (
          <p class="muted">{t('This tree is very large: only its first files were searched.')}</p>
        )}
      </div>
    </RepoFrame>
  ),
})
