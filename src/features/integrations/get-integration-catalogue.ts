import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { PROVIDERS } from './catalogue.ts'
import { CatalogueEntry } from './schema.ts'

/** Leaves out what a schema says to this program only. */
const publicValue = (name: string, value: unknown): unknown =>
  name.startsWith('x-') ? undefined : value

export const getIntegrationCatalogue = operation({
  name: 'get_integration_catalogue',
  summary:
    'List the providers that connect_integration takes, each with the JSON Schema of its config and the name of its secret. For members of the workspace.',
  keywords: ['which integrations exist', 'supported providers', 'configuration schema'],
  route: 'GET /workspaces/{workspace}/integrations/catalogue',
  toolset: 'integrations',
  access: readsWorkspace({ scope: 'workspace:read' }),
  input: Type.Object({ workspace: WorkspaceSlug }),
  output: Type.Array(CatalogueEntry),

  handler: () =>
    PROVIDERS.map(({ slug, title, description, kind, config, secret }) => ({
      provider: slug,
      title,
      description,
      kinds: [kind],
      config_schema: JSON.parse(JSON.stringify(config, publicValue)) as Record<string, unknown>,
      secret,
    })),
})
