// The owner of webhooks. The same pages serve repositories and workspaces, each in its own frame.
import { getRepo } from '#features/repos/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import type { Child, Html } from '../../jsx/html.ts'
import { repoPath, workspacePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { RepoSettingsFrame } from '../repos/settings-frame.tsx'
import { WorkspaceSettingsFrame } from '../workspaces/frame.tsx'

export type OwnerKind = 'repository' | 'workspace'

/** The paths of the pages. */
export const BASE: Readonly<Record<OwnerKind, string>> = {
  repository: '/:workspace/:repo/settings/hooks',
  workspace: '/:workspace/-/hooks',
}

export type Target =
  | { readonly repo: string; readonly workspace?: undefined }
  | { readonly workspace: string; readonly repo?: undefined }

/** The input that names the owner. */
export const targetOf = (kind: OwnerKind, visit: Visit): Target =>
  kind === 'repository' ? { repo: repoOf(visit) } : { workspace: visit.params.workspace ?? '' }

/** The address of the list, or of a page below it. */
export const hooksPath = (kind: OwnerKind, visit: Visit, rest = ''): string =>
  (kind === 'repository'
    ? repoPath(repoOf(visit), '/settings/hooks')
    : workspacePath(visit.params.workspace ?? '', 'hooks')) + rest

export const hookPath = (kind: OwnerKind, visit: Visit, id: string, rest = ''): string =>
  hooksPath(kind, visit, `/${encodeURIComponent(id)}${rest}`)

export const deliveryPath = (kind: OwnerKind, visit: Visit, id: string, delivery: string): string =>
  hookPath(kind, visit, id, `/deliveries/${encodeURIComponent(delivery)}`)

export type WebhookOwner = {
  readonly kind: OwnerKind
  readonly name: string
  /** False when the owner is archived. */
  readonly isEditable: boolean
  readonly frame: (title: string, children: Child) => Html
}

/** Loads the owner. Null for users who may not manage its webhooks. */
export async function loadWebhookOwner(
  kind: OwnerKind,
  visit: Visit,
): Promise<WebhookOwner | null> {
  if (kind === 'repository') {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    if (!repo.permissions.admin) return null
    return {
      kind,
      name: repo.full_name,
      isEditable: !repo.archived,
      frame: (title, children) => (
        <RepoSettingsFrame visit={visit} repo={repo} title={title} part="hooks">
          {children}
        </RepoSettingsFrame>
      ),
    }
  }
  const workspace = await visit.call(getWorkspace, { workspace: visit.params.workspace ?? '' })
  if (workspace.role !== 'owner') return null
  return {
    kind,
    name: workspace.slug,
    isEditable: true,
    frame: (title, children) => (
      <WorkspaceSettingsFrame visit={visit} workspace={workspace} title={title} part="hooks">
        {children}
      </WorkspaceSettingsFrame>
    ),
  }
}
