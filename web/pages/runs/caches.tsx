/** Caches of the workflows of a repository: which there are, how large, and who wrote them. */
import { deleteCache, listCaches, type Cache } from '#features/artifacts/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Breadcrumbs,
  Button,
  EmptyState,
  FormError,
  Icon,
  LinkButton,
  List,
  PageHead,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import type { Html } from '../../jsx/html.ts'
import { repoPath } from '../../paths.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { loadPage, RowSteps, type ListPage } from '../row-form.tsx'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { rich, t } from '../../text.ts'
import { cachesPath, repoStoragePath } from './paths.ts'
import { shortRef } from './states.tsx'

type Shown = {
  readonly repo: Repo
  readonly caches: ListPage<Cache>
}

const CacheRow = ({ visit, repo, cache }: { visit: Visit; repo: Repo; cache: Cache }) => (
  <Row
    mark={<Icon name="package" />}
    title={<code>{cache.key}</code>}
    meta={
      <>
        <span>
          <code>{shortRef(cache.ref)}</code>
        </span>
        <span>{bytesText(cache.size_in_bytes)}</span>
        <span>
          {rich('used {at}', {
            at: <RelativeTime at={cache.last_used_at} now={visit.hearth.clock.now()} />,
          })}
        </span>
      </>
    }
    end={
      repo.permissions.write &&
      !repo.archived && (
        <ActionButton
          action={cachesPath(repo.full_name, '/delete')}
          csrf={visit.csrf}
          values={{ id: cache.id }}
        >
          <Button icon="trash">{t('Delete cache')}</Button>
        </ActionButton>
      )
    }
  />
)

const CachesView = ({ visit, repo, caches }: Shown & { visit: Visit }): Html => {
  return (
    <RepoFrame visit={visit} repo={repo} title={t('Caches')} current="runs">
      <Breadcrumbs
        parts={[
          { label: t('Runs'), href: repoPath(repo.full_name, '/runs') },
          { label: t('Caches') },
        ]}
      />
      <PageHead
        title={t('Caches')}
        lead={t(
          'Files that jobs restore in later runs. When they take too much, those that were not used for longest go first.',
        )}
        actions={
          repo.permissions.write ? (
            <LinkButton href={repoStoragePath(repo.full_name)} icon="package">
              {t('Storage of runs')}
            </LinkButton>
          ) : undefined
        }
      />
      {visit.form.error !== null && <FormError>{visit.form.error.message}</FormError>}
      {caches.items.length === 0 ? (
        <EmptyState icon="package" title={t('No caches')}>
          {rich('A step with {action} saves what later runs need again.', {
            action: <code>uses: actions/cache@v4</code>,
          })}
        </EmptyState>
      ) : (
        <List label={t('Caches')}>
          {caches.items.map((cache) => (
            <CacheRow visit={visit} repo={repo} cache={cache} />
          ))}
        </List>
      )}
      <RowSteps list={caches} here={cachesPath(repo.full_name)} label={t('Caches')} />
    </RepoFrame>
  )
}

export const cachesPage = page({
  path: '/:workspace/:repo/runs/caches',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const caches = await loadPage(visit, (page) =>
      visit.call(listCaches, { repo: repo.full_name, page }),
    )
    return { repo, caches }
  },
  view: (shown, visit) => <CachesView visit={visit} {...shown} />,
})

export const deleteCacheForm = action({
  path: '/:workspace/:repo/runs/caches/delete',
  page: cachesPage,
  submit: async (visit, fields) => {
    await visit.call(deleteCache, { repo: repoOf(visit), id: fields.text('id') })
    return redirectWithFlash(visit, cachesPath(repoOf(visit)), 'cache-deleted')
  },
})
