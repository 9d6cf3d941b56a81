import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { seal, unseal } from '#features/accounts/index.ts'
import { findIntegration, type IntegrationRow } from '#features/integrations/index.ts'
import { fullName } from '#features/repos/index.ts'
import { conflict, notFound, Refusal } from '#lib/errors.ts'
import { addressOf } from './address.ts'
import type { IncomingHook } from './schema.ts'
import type { Sender } from './senders/sender.ts'
import { findSender } from './senders/senders.ts'
import { canBeTold } from './updates/receivers.ts'
import { countOpenSubjects, findHook, type HookRow } from './store.ts'

const PURPOSE = 'incoming webhook secret'

export const encryptHookSecret = (hearth: Hearth, secret: string): string =>
  seal(hearth, PURPOSE, secret)

/**
 * Null for none. Throws 503 for one that another installation encrypted: without it, events whose
 * signature is optional would be accepted unchecked.
 */
export function readHookSecret(hearth: Hearth, { secret }: Pick<HookRow, 'secret'>): string | null {
  if (secret === null) return null
  const opened = unseal(hearth, PURPOSE, secret)
  if (opened === null)
    throw new Refusal(
      'unavailable',
      'the secret of this webhook cannot be read with this installation key: an owner has to set it again',
    )
  return opened
}

/** An integration of a workspace and how it sends events. Throws 404, and 409 for one that cannot. */
export function requireSender(
  db: Db,
  workspace_id: string,
  id: string,
): { integration: IntegrationRow; sender: Sender } {
  const integration = findIntegration(db, id)
  if (integration?.workspace_id !== workspace_id) throw notFound(`the integration ${id}`)
  const sender = findSender(integration.provider)
  if (sender === null)
    throw conflict('not_available', `${integration.provider} sends no events that become issues`)
  return { integration, sender }
}

/** Throws 404 while the integration receives nothing. */
export function requireHook(db: Db, integration_id: string): HookRow {
  const hook = findHook(db, integration_id)
  if (!hook) throw notFound(`the incoming webhook of ${integration_id}`)
  return hook
}

export const hookRecord = (hearth: Hearth, { signature }: Sender, row: HookRow): IncomingHook => ({
  integration: row.integration_id,
  repo: fullName(hearth.db, row.repo_id),
  url: addressOf(hearth, row),
  labels: JSON.parse(row.labels) as string[],
  sync_status: row.sync_status === 1,
  sync_comments: row.sync_comments === 1,
  can_sync: canBeTold(findIntegration(hearth.db, row.integration_id)?.provider ?? ''),
  has_secret: row.secret !== null,
  signature: signature && { header: signature.header, required: signature.required },
  open_issues: countOpenSubjects(hearth.db, row.integration_id),
  created_at: row.created_at,
  updated_at: row.updated_at,
})
