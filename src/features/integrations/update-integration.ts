import { writesWorkspaceAsPerson } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { socketOf } from '#lib/outbound/outbound.ts'
import { invalid } from '#lib/errors.ts'
import { findProvider } from './catalogue.ts'
import { Config, IntegrationId, IntegrationName, readConfig, Secret } from './inputs.ts'
import {
  auditedFacts,
  auditIntegration,
  configOf,
  integrationRecord,
  requireIntegration,
} from './integration-record.ts'
import { Integration } from './schema.ts'
import { encryptSecret } from './secret.ts'
import {
  setChecked,
  setIntegration,
  setSpeed,
  type IntegrationChange,
  type IntegrationRow,
} from './store.ts'
import { testConnection } from './test-connection.ts'

type Input = {
  readonly name?: string
  readonly config?: Record<string, unknown>
  readonly secret?: string
  readonly enabled?: boolean
}

export const updateIntegration = operation({
  name: 'update_integration',
  summary:
    'Change the name, config or secret of an integration, or switch it off (enabled false). What is left out stays; config is replaced whole. Another address needs the secret again. Owners only, people only.',
  keywords: ['rotate an API key', 'change the model list', 'disable a provider', 'model prices'],
  route: 'PATCH /workspaces/{workspace}/integrations/{id}',
  toolset: 'integrations',
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    id: IntegrationId,
    name: Type.Optional(IntegrationName),
    config: Type.Optional(Config),
    secret: Type.Optional(Secret),
    enabled: Type.Optional(Type.Boolean()),
  }),
  output: Integration,
  annotations: { idempotent: true, openWorld: true },

  handler: async ({ hearth, db, workspace, write }, { id, workspace: _, ...input }) => {
    const row = requireIntegration(db, workspace.id, id)
    const change = changeOf(hearth, row, input)
    const reconnects = change.config !== undefined || change.secret !== undefined
    const isEnabled = (change.enabled ?? row.enabled) === 1
    const test =
      isEnabled && (reconnects || row.enabled === 0)
        ? await testConnection(hearth, { ...row, ...change })
        : null
    return write((tx) => {
      const before = requireIntegration(tx.db, workspace.id, id)
      setIntegration(tx, before, change)
      if (test) setChecked(tx, id, test.error, test.models)
      if (change.config !== undefined) setSpeed(tx, id, null)
      const after = requireIntegration(tx.db, workspace.id, id)
      auditIntegration(tx, 'integration.updated', after, {
        before: auditedFacts(before),
        after: auditedFacts(after),
        secret_changed: change.secret !== undefined,
      })
      return integrationRecord(hearth, after)
    })
  },
})

function changeOf(hearth: Hearth, row: IntegrationRow, input: Input): IntegrationChange {
  const provider = findProvider(row.provider)
  if (provider === null)
    throw invalid('id', `the provider ${row.provider} is not known to this version`)
  const config = input.config === undefined ? undefined : readConfig(provider, input.config)
  if (provider.secret?.required && input.secret === '')
    throw invalid('secret', `${provider.title} needs a secret`)
  if (config !== undefined && input.secret === undefined && row.secret !== null)
    requireSameOrigin(configOf(row), configOf({ config }))
  return {
    ...(input.name === undefined ? {} : { name: input.name.trim() }),
    ...(config === undefined ? {} : { config }),
    ...(input.secret === undefined
      ? {}
      : { secret: input.secret === '' ? null : encryptSecret(hearth, input.secret) }),
    ...(input.enabled === undefined
      ? {}
      : { enabled: input.enabled ? (1 as const) : (0 as const) }),
  }
}

/** A stored secret goes to the service that it was entered for, and to no other. */
function requireSameOrigin(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): void {
  const originOf = ({ base_url }: Readonly<Record<string, unknown>>): string | null =>
    typeof base_url === 'string' ? (socketOf(base_url) ?? new URL(base_url).origin) : null
  if (originOf(before) !== originOf(after))
    throw invalid('secret', 'enter the secret again, because the address changes')
}
