import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { fullName, repoById } from '#features/repos/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { timestamp } from '#lib/time.ts'
import { headersOf } from './request-headers.ts'
import type { Delivery, Webhook } from './schema.ts'
import type { HookRow } from './store.ts'
import { findLastDelivery, type DeliveryRow } from './store-deliveries.ts'

/** A webhook as a record. `secret` is returned only when it was generated. */
export function webhookRecord(hearth: Hearth, row: HookRow, secret: string | null = null): Webhook {
  const repo = row.repo_id === null ? null : repoById(hearth.db, row.repo_id)
  const last = findLastDelivery(hearth.db, row.id)
  return {
    id: row.id,
    level: row.repo_id === null ? 'workspace' : 'repository',
    repository: repo && fullName(hearth.db, repo.id),
    workspace: workspaceById(hearth.db, row.workspace_id ?? repo?.workspace_id ?? '')?.slug ?? '',
    url: row.url,
    events: JSON.parse(row.events) as string[],
    active: row.active === 1,
    has_secret: true,
    secret,
    status: row.light,
    last_delivery: last && { id: last.id, state: last.state, at: last.tried_at ?? last.created_at },
    created_by: actorOf(hearth, row.created_by),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

const IN_LISTS = 1024

/**
 * A delivery as a record. `whole` includes the stored response. A delivery that was not sent yet
 * shows the headers that it will have.
 */
export const deliveryRecord = (hook: HookRow, row: DeliveryRow, whole: boolean): Delivery => ({
  id: row.id,
  hook: row.hook_id,
  event: { id: row.event_id, type: row.type },
  state: row.state,
  attempt: row.attempt,
  redelivery_of: row.redelivery_of,
  request: { url: row.url ?? hook.url, headers: headersOf(row, row.signature), body: row.payload },
  response:
    row.status === null
      ? null
      : {
          status: row.status,
          headers: JSON.parse(row.headers ?? '{}') as Record<string, string>,
          body: whole ? (row.body ?? '') : (row.body ?? '').slice(0, IN_LISTS),
        },
  error: row.error,
  duration_ms: row.duration_ms,
  next_retry_at: row.state === 'waiting' && row.due_at !== null ? timestamp(row.due_at) : null,
  created_at: row.created_at,
  finished_at: row.finished_at,
})

const pointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Pointers to text by the receiver. */
export const untrustedPointers = ({ response }: Delivery, at = ''): string[] =>
  response === null
    ? []
    : [
        ...Object.keys(response.headers).map((name) => `${at}/response/headers/${pointer(name)}`),
        `${at}/response/body`,
      ]
