// The owner of variables and secrets. The same page serves repositories and workspaces.
import { getRepo } from '#features/repos/index.ts'
import { getWorkspace, listProjects } from '#features/workspaces/index.ts'
import type { Child, Html } from '../../jsx/html.ts'
import { repoPath, workspacePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { onSamePage } from '../row-form.tsx'
import { RepoSettingsFrame } from '../repos/settings-frame.tsx'
import { WorkspaceSettingsFrame } from '../workspaces/frame.tsx'

export type OwnerKind = 'repository' | 'workspace'

/** The paths of the pages. */
export const BASE: Readonly<Record<OwnerKind, string>> = {
  repository: '/:workspace/:repo/settings/variables',
  workspace: '/:workspace/-/variables',
}

/** Each form of a row has a checkbox for each of them. */
const MAX_PROJECTS = 20

/** The input that names the owner. */
export const targetOf = (kind: OwnerKind, visit: Visit) =>
  kind === 'repository' ? { repo: repoOf(visit) } : { workspace: visit.params.workspace ?? '' }

/** The address of the page, or of a form below it. */
export const variablesPath = (kind: OwnerKind, visit: Visit, rest = ''): string =>
  (kind === 'repository'
    ? repoPath(repoOf(visit), '/settings/variables')
    : workspacePath(visit.params.workspace ?? '', 'variables')) + rest

/** What counts the pages of each list in the address. */
export const PAGE_NAMES = { variable: 'page', secret: 'secrets' } as const

/** The same address on the pages that are shown. */
export const herePath = (kind: OwnerKind, visit: Visit, rest = ''): string =>
  onSamePage(visit, variablesPath(kind, visit, rest), PAGE_NAMES.variable, PAGE_NAMES.secret)

export type VariablesOwner = {
  readonly kind: OwnerKind
  readonly name: string
  /** False when the owner is archived. */
  readonly isEditable: boolean
  /** The slugs of the newest projects, which a row may be for. */
  readonly projects: readonly string[]
  readonly hasMoreProjects: boolean
  readonly frame: (title: string, children: Child) => Html
}

/** Loads the owner. Null for users who may not manage its variables. */
export async function loadOwner(kind: OwnerKind, visit: Visit): Promise<VariablesOwner | null> {
  if (kind === 'repository') {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    if (!repo.permissions.admin) return null
    return {
      kind,
      name: repo.full_name,
      isEditable: !repo.archived,
      projects: [],
      hasMoreProjects: false,
      frame: (title, children) => (
        <RepoSettingsFrame visit={visit} repo={repo} title={title} part="variables">
          {children}
        </RepoSettingsFrame>
      ),
    }
  }
  const slug = visit.params.workspace ?? ''
  const workspace = await visit.call(getWorkspace, { workspace: slug })
  if (workspace.role !== 'owner') return null
  const projects = await visit.call(listProjects, { workspace: slug, per_page: MAX_PROJECTS })
  return {
    kind,
    name: workspace.slug,
    isEditable: true,
    projects: projects.items.map((project) => project.slug),
    hasMoreProjects: projects.next !== null,
    frame: (title, children) => (
      <WorkspaceSettingsFrame visit={visit} workspace={workspace} title={title} part="variables">
        {children}
      </WorkspaceSettingsFrame>
    ),
  }
}
