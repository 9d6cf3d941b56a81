// The owner of runners. The same page serves repositories, workspaces and the site.
import { getRepo } from '#features/repos/index.ts'
import {
  createRunner,
  createSiteRunner,
  listRunnerQueue,
  listRunners,
  listSiteRunnerQueue,
  listSiteRunners,
  removeRunner,
  removeSiteRunner,
} from '#features/runners/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { PageHead } from '../../components/index.ts'
import type { Child, Html } from '../../jsx/html.ts'
import { repoPath, workspacePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { AdminFrame } from '../admin/frame.tsx'
import { repoOf } from '../repos/frame.tsx'
import { RepoSettingsFrame } from '../repos/settings-frame.tsx'
import { WorkspaceSettingsFrame } from '../workspaces/frame.tsx'

export type OwnerKind = 'repository' | 'workspace' | 'site'

/** The paths of the pages. */
export const BASE: Readonly<Record<OwnerKind, string>> = {
  repository: '/:workspace/:repo/settings/runners',
  workspace: '/:workspace/-/runners',
  site: '/admin/runners',
}

export function runnersPath(kind: OwnerKind, visit: Visit): string {
  if (kind === 'site') return BASE.site
  return kind === 'repository'
    ? repoPath(repoOf(visit), '/settings/runners')
    : workspacePath(visit.params.workspace ?? '', 'runners')
}

/** The input that names the owner. */
const targetOf = (kind: OwnerKind, visit: Visit) =>
  kind === 'repository' ? { repo: repoOf(visit) } : { workspace: visit.params.workspace ?? '' }

export type RunnerFields = {
  readonly name: string
  readonly labels: string[]
  readonly ephemeral: boolean
  readonly accepts_untrusted: boolean
}

const PER_PAGE = 30

/** The calls of an owner. */
export const callsOf = (kind: OwnerKind, visit: Visit) => ({
  list: (page: number) =>
    kind === 'site'
      ? visit.call(listSiteRunners, { page, per_page: PER_PAGE })
      : visit.call(listRunners, { ...targetOf(kind, visit), page, per_page: PER_PAGE }),
  queue: () =>
    kind === 'site'
      ? visit.call(listSiteRunnerQueue, {})
      : visit.call(listRunnerQueue, targetOf(kind, visit)),
  create: (fields: RunnerFields) =>
    kind === 'site'
      ? visit.call(createSiteRunner, fields)
      : visit.call(createRunner, { ...targetOf(kind, visit), ...fields }),
  remove: (id: string) =>
    kind === 'site'
      ? visit.call(removeSiteRunner, { id })
      : visit.call(removeRunner, { ...targetOf(kind, visit), id }),
})

export type RunnersOwner = { readonly frame: (children: Child) => Html }

/** Loads the owner. Null for users who may not manage its runners. */
export async function loadOwner(kind: OwnerKind, visit: Visit): Promise<RunnersOwner | null> {
  const title = t('Runners')
  if (kind === 'site') {
    const lead = t('Machines that run jobs of workflows for every repository of this installation.')
    return {
      frame: (children) => (
        <AdminFrame visit={visit} title={title} lead={lead}>
          {children}
        </AdminFrame>
      ),
    }
  }
  if (kind === 'repository') {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    if (!repo.permissions.admin) return null
    return {
      frame: (children) => (
        <RepoSettingsFrame visit={visit} repo={repo} title={title} part="runners">
          <PageHead
            title={title}
            lead={t('Machines that run jobs of workflows for this repository only.')}
          />
          {children}
        </RepoSettingsFrame>
      ),
    }
  }
  const slug = visit.params.workspace ?? ''
  const workspace = await visit.call(getWorkspace, { workspace: slug })
  if (workspace.role !== 'owner') return null
  const lead = t('Machines that run jobs of workflows for every repository of {name}.', {
    name: workspace.slug,
  })
  return {
    frame: (children) => (
      <WorkspaceSettingsFrame visit={visit} workspace={workspace} title={title} part="runners">
        <PageHead title={title} lead={lead} />
        {children}
      </WorkspaceSettingsFrame>
    ),
  }
}
