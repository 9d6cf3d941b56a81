/** The owner of webhooks: a repository, for callers with admin, or a workspace, for its owners. */
import { eitherAs } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { ownerOf, type OwnerGrants } from '#core/owner.ts'
import { Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import { findHook, type HookRow } from './store.ts'
import { findDelivery, type DeliveryRow } from './store-deliveries.ts'

const scopes = { scope: 'repo:admin', workspaceScope: 'workspace:admin' } as const
export const readsHooks = eitherAs('admin', 'owner', scopes)
export const writesHooks = eitherAs('admin', 'owner', { ...scopes, writes: true })

/** The routes below both owners for one method. */
export const hookRoutes = (method: string, rest = ''): readonly string[] => [
  `${method} /repos/{owner}/{name}/hooks${rest}`,
  `${method} /workspaces/{workspace}/hooks${rest}`,
]

export const HookId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of a webhook.',
})
export const DeliveryId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of a delivery.',
})

/** Finds a webhook; throws 404 for one of another owner. */
export function requireHook(db: Db, grants: OwnerGrants, id: string): HookRow {
  const owner = ownerOf(grants)
  const row = findHook(db, id)
  if (
    !row ||
    row.removed_at !== null ||
    row.repo_id !== owner.repo_id ||
    row.workspace_id !== owner.workspace_id
  )
    throw notFound(`the webhook ${id}`)
  return row
}

/** Finds a delivery; throws 404 for one of another webhook. */
export function requireDelivery(db: Db, hook: HookRow, id: string): DeliveryRow {
  const row = findDelivery(db, id)
  if (!row || row.hook_id !== hook.id) throw notFound(`the delivery ${id}`)
  return row
}

/** The workspace and repository of audit entries about a webhook. */
export const auditSubject = ({
  repo,
  workspace,
}: OwnerGrants): { workspace_id: string | null; repo_id: string | null } => ({
  workspace_id: repo?.workspace_id ?? workspace?.id ?? null,
  repo_id: repo?.id ?? null,
})

export function auditHook(
  tx: Tx,
  action: string,
  hook: Pick<HookRow, 'id' | 'url'>,
  grants: OwnerGrants,
  data: Record<string, unknown>,
): void {
  // The audit log holds the host only, because the path of a webhook URL is often a secret.
  tx.audit({
    action,
    target: { kind: 'webhook', id: hook.id, name: new URL(hook.url).host },
    ...auditSubject(grants),
    data,
  })
}
