// What people and agents keep in mind in all repositories of a workspace.
import { recall, type Memory } from '#features/memory/index.ts'
import { listRepos, type Repo } from '#features/repos/index.ts'
import { getWorkspace, type Workspace } from '#features/workspaces/index.ts'
import { notFound } from '#lib/errors.ts'
import { EmptyState, LinkButton, PageHead, Pager } from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { withQuery, workspacePath } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { MemoryList } from '../memory/memory-list.tsx'
import { NewMemory, submitMemory } from '../memory/new-memory.tsx'
import { WorkspaceFrame } from './frame.tsx'

/** Each has up to 2,000 characters. */
const PER_PAGE = 15
/** Waiting ones are read and decided, so few are enough. */
const MAX_WAITING = 5

type Shown = {
  readonly workspace: Workspace
  /** Memories are read and changed through a repository of the workspace. */
  readonly repo: Repo | null
  readonly waiting: readonly Memory[]
  readonly memories: readonly Memory[]
  readonly count: number
  readonly number: number
}

const memoryPath = (slug: string): string => workspacePath(slug, 'memory')

const NoMemories = ({ slug, repo }: { slug: string; repo: Repo | null }) => (
  <EmptyState
    icon="layers"
    title={t('No memories yet')}
    actions={
      repo === null ? (
        <LinkButton href={withQuery('/new', { workspace: slug })} icon="plus">
          {t('New repository')}
        </LinkButton>
      ) : undefined
    }
  >
    {t('Agents in every repository of the workspace are given what fits their task.')}
  </EmptyState>
)

const MemoryView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { workspace, repo, waiting, memories, count, number } = shown
  const at = (to: number) =>
    withQuery(memoryPath(workspace.slug), { page: to > 1 ? to : undefined })
  return (
    <WorkspaceFrame
      visit={visit}
      workspace={workspace}
      title={t('Memory · {name}', { name: workspace.name })}
      current="memory"
    >
      <PageHead
        title={t('Memory')}
        lead={t('What people and agents keep in mind in all repositories of this workspace.')}
      />
      {repo !== null && waiting.length > 0 && (
        <MemoryList
          visit={visit}
          repo={repo}
          memories={waiting}
          label={t('Waiting for a person to read them')}
        />
      )}
      {repo === null || memories.length === 0 ? (
        <NoMemories slug={workspace.slug} repo={repo} />
      ) : (
        <MemoryList visit={visit} repo={repo} memories={memories} label={t('Memory')} />
      )}
      <Pager
        newer={number > 1 ? at(number - 1) : null}
        older={number * PER_PAGE < count ? at(number + 1) : null}
        label={t('Memory')}
      />
      {repo !== null && workspace.role !== null && (
        <NewMemory visit={visit} action={memoryPath(workspace.slug)} scope="workspace" />
      )}
    </WorkspaceFrame>
  )
}

/** The repository through which the memories of a workspace are read and changed. */
const repoIn = async (visit: Visit, workspace: string): Promise<Repo | null> =>
  (await visit.call(listRepos, { workspace, archived: false, per_page: 1 })).items[0] ?? null

export const workspaceMemoryPage = page({
  path: '/:workspace/-/memory',
  load: async (visit): Promise<Shown> => {
    const workspace = await visit.call(getWorkspace, { workspace: visit.params.workspace ?? '' })
    const repo = await repoIn(visit, workspace.slug)
    const number = pageNumber(visit)
    if (repo === null) return { workspace, repo, waiting: [], memories: [], count: 0, number }
    const read = (waiting: boolean, limit: number, page: number) =>
      visit.call(recall, { repo: repo.full_name, waiting, limit, page })
    const kept = await read(false, PER_PAGE, number)
    return {
      workspace,
      repo,
      waiting: (await read(true, MAX_WAITING, 1)).workspace,
      memories: kept.workspace,
      count: kept.workspace_count,
      number,
    }
  },
  view: (shown, visit) => <MemoryView visit={visit} {...shown} />,
})

export const workspaceMemoryForm = action({
  path: '/:workspace/-/memory',
  page: workspaceMemoryPage,
  submit: async (visit, fields) => {
    const slug = visit.params.workspace ?? ''
    const repo = await repoIn(visit, slug)
    if (repo === null) throw notFound('the repository')
    const flash = await submitMemory(visit, fields, { repo: repo.full_name, scope: 'workspace' })
    return redirectWithFlash(visit, memoryPath(slug), flash)
  },
})
