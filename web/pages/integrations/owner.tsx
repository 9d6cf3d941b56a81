// The frame and the addresses of the pages of integrations, for owners of a workspace.
import { getWorkspace, type Workspace } from '#features/workspaces/index.ts'
import type { Child, Html } from '../../jsx/html.ts'
import { workspacePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { WorkspaceSettingsFrame } from '../workspaces/frame.tsx'

export const BASE = '/:workspace/-/integrations'

export const slugOf = (visit: Visit): string => visit.params.workspace ?? ''

export const integrationsPath = (slug: string, rest = ''): string =>
  workspacePath(slug, 'integrations') + rest

export const integrationPath = (slug: string, id: string, rest = ''): string =>
  integrationsPath(slug, `/${encodeURIComponent(id)}${rest}`)

export const modelsPath = (slug: string): string => integrationsPath(slug, '/models')

export const gatewayPath = (slug: string): string => integrationsPath(slug, '/models/gateway')

export const usagePath = (slug: string): string => integrationsPath(slug, '/models/usage')

/** The workspace; null for visitors who are not its owners. */
export async function loadWorkspace(visit: Visit): Promise<Workspace | null> {
  const workspace = await visit.call(getWorkspace, { workspace: slugOf(visit) })
  return workspace.role === 'owner' ? workspace : null
}

export const frame = (
  visit: Visit,
  workspace: Workspace,
  title: string,
  part: 'integrations' | 'models',
  children: Child,
): Html => (
  <WorkspaceSettingsFrame visit={visit} workspace={workspace} title={title} part={part}>
    {children}
  </WorkspaceSettingsFrame>
)
