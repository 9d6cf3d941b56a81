import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { integrationRecord } from './integration-record.ts'
import { Integrations } from './schema.ts'
import { countIntegrations, listIntegrationRows } from './store.ts'

export const listIntegrations = operation({
  name: 'list_integrations',
  summary:
    'List the services that a workspace uses, such as model providers and ticket trackers, newest first, and whether they answer. For its members. Never contains a secret.',
  keywords: ['connected services', 'LLM providers', 'Jira', 'Linear', 'AI providers'],
  route: 'GET /workspaces/{workspace}/integrations',
  toolset: 'integrations',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({ workspace: WorkspaceSlug, ...byPage() }),
  output: Integrations,
  list: 'page',

  handler: ({ hearth, db, workspace }, paging) => {
    const window = windowOf(paging)
    const rows = listIntegrationRows(db, workspace.id, {
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(
      rows.map((row) => integrationRecord(hearth, row)),
      window,
      countIntegrations(db, workspace.id),
    )
  },
})
