import { writesWorkspaceAsPerson } from '#core/access.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { findProvider, PROVIDERS } from './catalogue.ts'
import { Config, IntegrationName, readConfig, Secret } from './inputs.ts'
import {
  auditedFacts,
  auditIntegration,
  integrationRecord,
  requireIntegration,
} from './integration-record.ts'
import { Integration, INTEGRATION_KINDS, MAX_INTEGRATIONS } from './schema.ts'
import { encryptSecret } from './secret.ts'
import { countIntegrations, insertIntegration, setChecked } from './store.ts'
import { testConnection } from './test-connection.ts'

/** Connects once. A service that does not answer is saved all the same, with the status failing. */
export const connectIntegration = operation({
  name: 'connect_integration',
  summary: `Connect a model provider or a ticket tracker to a workspace; get_integration_catalogue says what each needs. The connection is tested once. Owners only, people only; at most ${MAX_INTEGRATIONS}.`,
  keywords: ['add a model', 'OpenAI key', 'Anthropic key', 'Ollama', 'connect Jira', 'API key'],
  route: 'POST /workspaces/{workspace}/integrations',
  toolset: 'integrations',
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    provider: Type.String({
      minLength: 1,
      maxLength: 60,
      description: `One of ${PROVIDERS.map(({ slug }) => slug).join(', ')}.`,
    }),
    kind: Type.Optional(OneOf(INTEGRATION_KINDS)),
    name: Type.Optional(IntegrationName),
    config: Type.Optional(Config),
    secret: Type.Optional(Secret),
  }),
  output: Integration,
  status: 201,
  annotations: { openWorld: true },

  handler: async ({ hearth, caller, workspace, write }, input) => {
    const provider = findProvider(input.provider)
    if (provider === null)
      throw invalid(
        'provider',
        `there is no provider ${JSON.stringify(input.provider)}: take one of ${PROVIDERS.map(({ slug }) => slug).join(', ')}`,
      )
    if (input.kind !== undefined && input.kind !== provider.kind)
      throw invalid('kind', `${provider.slug} is a ${provider.kind}, not a ${input.kind}`)
    const secret = input.secret ?? ''
    if (provider.secret?.required && secret === '')
      throw invalid(
        'secret',
        `secret is required: the ${provider.secret.title} of ${provider.title}`,
      )
    const row = {
      workspace_id: workspace.id,
      kind: provider.kind,
      provider: provider.slug,
      name: (input.name ?? provider.title).trim(),
      config: readConfig(provider, input.config ?? {}),
      secret: secret === '' ? null : encryptSecret(hearth, secret),
      created_by: caller.id,
    }
    const { error, models } = await testConnection(hearth, row)
    return write((tx) => {
      if (countIntegrations(tx.db, workspace.id) >= MAX_INTEGRATIONS)
        throw conflict(
          'limit_reached',
          `there are ${MAX_INTEGRATIONS} integrations already, which is the most`,
        )
      const id = typeId('itg', tx.now_ms)
      insertIntegration(tx, { ...row, id })
      setChecked(tx, id, error, models)
      const made = requireIntegration(tx.db, workspace.id, id)
      auditIntegration(tx, 'integration.connected', made, { after: auditedFacts(made) })
      return integrationRecord(hearth, made)
    })
  },
})
