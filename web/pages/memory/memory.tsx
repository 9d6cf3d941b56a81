// What people and agents keep in mind about a repository and its workspace.
import {
  forget,
  KINDS,
  recall,
  updateMemory,
  type Memories,
  type MemoryKind,
} from '#features/memory/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  EmptyState,
  FormError,
  KindSearch,
  LinkButton,
  PageHead,
  Pager,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { pullPath, repoPath, withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { action, page, redirectWithFlash, type Fields, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { pullPage } from '../pulls/pull.tsx'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { KIND_LABELS, kindOf } from './kinds.ts'
import { MemoryList } from './memory-list.tsx'
import { NewMemory, submitMemory } from './new-memory.tsx'

/**
 * Of the repository, and as many of the workspace. Each has up to 2,000 characters, of which most are
 * shown.
 */
const PER_PAGE = 10
/** Waiting ones are read and decided, so few are enough. */
const MAX_WAITING = 5

type Shown = {
  readonly repo: Repo
  readonly waiting: Memories
  readonly kept: Memories
  readonly query: string
  readonly kind: MemoryKind | null
  readonly page: number
}

const memoryPagePath = (visit: Visit): string => repoPath(repoOf(visit), '/memory')

const Empty = ({ isFiltered }: { isFiltered: boolean }) => (
  <EmptyState icon="layers" title={isFiltered ? t('No memory matches') : t('No memories yet')}>
    {isFiltered
      ? t('Try fewer words, or another kind.')
      : t(
          'Add what a newcomer would have to be told: agents that begin to work here are given what fits their task.',
        )}
  </EmptyState>
)

const MemoryView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { repo, waiting, kept, query, kind } = shown
  const at = (page: number) =>
    withQuery(memoryPagePath(visit), {
      q: query || undefined,
      kind: kind ?? undefined,
      page: page > 1 ? page : undefined,
    })
  const waits = [...waiting.project, ...waiting.workspace]
  const count = kept.project.length + kept.workspace.length
  const most = Math.max(kept.project_count, kept.workspace_count)
  const failed = visit.form.error !== null && !visit.form.values.has('text')
  const list = { visit, repo }
  const mayAdd = repo.permissions.write && !repo.archived
  return (
    <RepoFrame visit={visit} repo={repo} title={t('Memory')} current="memory">
      <PageHead
        title={t('Memory')}
        lead={t('What people and agents keep in mind when they work here.')}
        actions={
          repo.permissions.maintain ? (
            <LinkButton href={repoPath(repo.full_name, '/agents')} icon="agent">
              {t('Agents')}
            </LinkButton>
          ) : undefined
        }
      />
      {failed && <FormError>{visit.form.error?.message}</FormError>}
      {waits.length > 0 && (
        <MemoryList {...list} memories={waits} label={t('Waiting for a person to read them')} />
      )}
      <KindSearch
        here={memoryPagePath(visit)}
        label={t('Memories by kind')}
        searchLabel={t('Search memories')}
        kinds={KINDS}
        kindLabels={KIND_LABELS}
        kind={kind}
        query={query}
      />
      {count === 0 && <Empty isFiltered={query !== '' || kind !== null || shown.page > 1} />}
      {kept.project.length > 0 && (
        <MemoryList {...list} memories={kept.project} label={t('This repository')} />
      )}
      {kept.workspace.length > 0 && (
        <MemoryList
          {...list}
          memories={kept.workspace}
          label={t('Workspace {slug}', { slug: repo.workspace })}
        />
      )}
      <Pager
        newer={shown.page > 1 ? at(shown.page - 1) : null}
        older={shown.page * PER_PAGE < most ? at(shown.page + 1) : null}
        label={t('Memory')}
      />
      {mayAdd && <NewMemory visit={visit} action={memoryPagePath(visit)} />}
    </RepoFrame>
  )
}

export const memoryPage = page({
  path: '/:workspace/:repo/memory',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const { searchParams } = visit.url
    const page = pageNumber(visit)
    const query = (searchParams.get('q') ?? '').slice(0, 500).trim()
    const kind = KINDS.find((one) => one === searchParams.get('kind')) ?? null
    const list = (waiting: boolean, limit: number) =>
      visit.call(recall, {
        repo: repo.full_name,
        waiting,
        limit,
        ...(waiting ? {} : { page, query, kind: kind ?? undefined }),
      })
    return {
      repo,
      waiting: await list(true, MAX_WAITING),
      kept: await list(false, PER_PAGE),
      query,
      kind,
      page,
    }
  },
  view: (shown, visit) => <MemoryView visit={visit} {...shown} />,
})

/** A form that changes the memory whose id it sends. */
const memoryForm = (part: string, submit: Parameters<typeof action>[0]['submit']) =>
  action({ path: `/:workspace/:repo/memory/${part}`, page: memoryPage, submit })

/** The page of the pull request that a form was sent from, else the page of memories. */
function returnPath(visit: Visit, fields: Fields): string {
  const number = Number(fields.text('pull'))
  return Number.isSafeInteger(number) && number > 0
    ? pullPath(repoOf(visit), number)
    : memoryPagePath(visit)
}

const memoryIn = (visit: Visit, fields: Fields) => ({ repo: repoOf(visit), id: fields.text('id') })

export const memoryForms = [
  action({
    path: '/:workspace/:repo/memory',
    page: memoryPage,
    submit: async (visit, fields) =>
      redirectWithFlash(
        visit,
        memoryPagePath(visit),
        await submitMemory(visit, fields, { repo: repoOf(visit) }),
      ),
  }),
  action({
    path: '/:workspace/:repo/pull/:number/memory',
    page: pullPage,
    submit: async (visit, fields) => {
      const pull = Number(visit.params.number)
      const flash = await submitMemory(visit, fields, {
        repo: repoOf(visit),
        scope: 'project',
        pull,
      })
      return redirectWithFlash(visit, pullPath(repoOf(visit), pull), flash)
    },
  }),
  memoryForm('edit', async (visit, fields) => {
    await visit.call(updateMemory, {
      ...memoryIn(visit, fields),
      text: fields.text('text'),
      kind: kindOf(fields),
      ...(fields.has('paths') ? { paths: fields.list('paths', /[,\r\n]/) } : {}),
    })
    return redirectWithFlash(visit, returnPath(visit, fields), 'memory-saved')
  }),
  memoryForm('keep', async (visit, fields) => {
    await visit.call(updateMemory, { ...memoryIn(visit, fields), reviewed: true })
    return redirectWithFlash(visit, returnPath(visit, fields), 'memory-kept')
  }),
  memoryForm('pin', async (visit, fields) => {
    const pinned = fields.text('pinned') === 'true'
    await visit.call(updateMemory, { ...memoryIn(visit, fields), pinned })
    const flash = pinned ? 'memory-pinned' : 'memory-unpinned'
    return redirectWithFlash(visit, returnPath(visit, fields), flash)
  }),
  memoryForm('forget', async (visit, fields) => {
    await visit.call(forget, memoryIn(visit, fields))
    return redirectWithFlash(visit, returnPath(visit, fields), 'memory-forgotten')
  }),
]
