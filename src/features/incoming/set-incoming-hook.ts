import { decide, writesRepo, writesWorkspaceAsPerson } from '#core/access.ts'
import type { UserCaller } from '#core/caller.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { mustBe, RepoPath, Type, WorkspaceSlug } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { recordActor } from '#features/accounts/index.ts'
import { auditIntegration, configOf, type IntegrationRow } from '#features/integrations/index.ts'
import { LabelsInput } from '#features/issues/index.ts'
import { fullName } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { randomToken } from '#lib/hash.ts'
import { encryptHookSecret, hookRecord, requireHook, requireSender } from './hook-record.ts'
import { IntegrationIdInput } from './inputs.ts'
import { IncomingHook } from './schema.ts'
import { findHook, putHook, type HookRow } from './store.ts'
import { findReceiver } from './updates/receivers.ts'

export const setIncomingHook = operation({
  name: 'set_incoming_hook',
  summary:
    'Let events of an integration open, update and close issues of a repository, and with sync_status and sync_comments tell the service what becomes of them. The answer has the address for the service. Its secret: empty removes it, left out keeps it. Owners only, people only.',
  keywords: ['alerts as issues', 'Sentry issues', 'Alertmanager webhook', 'follow Jira tickets'],
  route: 'PUT /workspaces/{workspace}/integrations/{id}/incoming',
  toolset: 'integrations',
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    id: IntegrationIdInput,
    repo: RepoPath,
    labels: Type.Optional(LabelsInput),
    secret: Type.Optional(
      Type.String({
        maxLength: 256,
        pattern: '^([\\x21-\\x7e]{8,})?$',
        ...mustBe('at least 8 printable ASCII characters without spaces'),
        description: 'At least 8 characters; stored encrypted and never shown.',
      }),
    ),
    sync_status: Type.Optional(
      Type.Boolean({
        description:
          'Tell the service when its issues close and open again; needs its access token.',
      }),
    ),
    sync_comments: Type.Optional(
      Type.Boolean({ description: 'Send comments of people with write to the service.' }),
    ),
    renew: Type.Optional(Type.Boolean({ description: 'Make a new address.' })),
  }),
  output: IncomingHook,
  annotations: { idempotent: true },

  handler: ({ hearth, workspace, caller, write }, { id, repo: path, ...input }) =>
    write((tx) => {
      const { integration, sender } = requireSender(tx.db, workspace.id, id)
      const { repo } = decide(
        writesRepo('triage', { scope: 'issues:write' }),
        caller,
        { repo: path },
        hearth.facts,
      )
      if (repo?.workspace_id !== workspace.id || repo.parent_id !== null)
        throw invalid('repo', `${path} is not a repository of ${workspace.slug}`)
      const before = findHook(tx.db, id)
      const secret =
        input.secret === undefined
          ? (before?.secret ?? null)
          : input.secret === ''
            ? null
            : encryptHookSecret(hearth, input.secret)
      if (secret === null && sender.signature?.required)
        throw invalid(
          'secret',
          `secret is required: ${integration.name} signs its events with it (${sender.signature.header})`,
        )
      const sync_status = input.sync_status ?? before?.sync_status === 1
      const sync_comments = input.sync_comments ?? before?.sync_comments === 1
      requireReceiver(integration, { sync_status, sync_comments })
      putHook(tx, {
        integration_id: id,
        repo_id: repo.id,
        generation: before === null || input.renew === true ? randomToken(12) : before.generation,
        secret,
        labels: JSON.stringify(input.labels ?? (before ? JSON.parse(before.labels) : [])),
        sync_status: sync_status ? 1 : 0,
        sync_comments: sync_comments ? 1 : 0,
        actor_id: actorFor(tx, before, caller, integration.provider),
        owner_id: caller.id,
      })
      auditIntegration(tx, 'integration.incoming_set', integration, {
        before: before && { repo: fullName(tx.db, before.repo_id) },
        after: { repo: repo.full_name, sync_status, sync_comments },
        secret_changed: input.secret !== undefined,
        renewed: input.renew === true,
      })
      return hookRecord(hearth, sender, requireHook(tx.db, id))
    }),
})

/** Throws 422 for what a service cannot be told, and for an integration that lacks something. */
function requireReceiver(
  integration: IntegrationRow,
  wanted: { readonly sync_status: boolean; readonly sync_comments: boolean },
): void {
  const field = wanted.sync_status ? 'sync_status' : 'sync_comments'
  if (!wanted[field]) return
  const receiver = findReceiver(integration.provider)
  if (receiver === null) throw invalid(field, `${integration.provider} cannot be told anything`)
  const missing = receiver.lacks(configOf(integration), integration.secret !== null)
  if (missing !== null)
    throw invalid(field, `${integration.name} needs ${missing} in its settings before it is told`)
}

/**
 * The author of the issues, who acts for the Owner who set the webhook last. Its id has the prefix
 * of integrations, by which readers know that strangers wrote its texts (`isIntegrationActor`).
 */
function actorFor(tx: Tx, before: HookRow | null, owner: UserCaller, provider: string): string {
  if (before !== null && before.owner_id === owner.id) return before.actor_id
  const id = typeId('itg', tx.now_ms)
  const username = `${owner.username}/${provider}`
  recordActor(tx, { id, kind: 'agent', username, name: null, on_behalf_of: owner.id })
  return id
}
