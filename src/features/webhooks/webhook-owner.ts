/** The owner of webhooks: a repository, for callers with admin, or a workspace, for its owners. */
import { eitherAs, type RepoGrant, type WorkspaceGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { RepoPath, Type, WorkspaceSlug } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import { findHook, type HookRow, type Owner } from './store.ts'
import { findDelivery, type DeliveryRow } from './store-deliveries.ts'

const scopes = { scope: 'repo:admin', workspaceScope: 'workspace:admin' } as const
export const readsHooks = eitherAs('admin', 'owner', scopes)
export const writesHooks = eitherAs('admin', 'owner', { ...scopes, writes: true })

/** The routes below both owners for one method. */
export const hookRoutes = (method: string, rest = ''): readonly string[] => [
  `${method} /repos/{owner}/{name}/hooks${rest}`,
  `${method} /workspaces/{workspace}/hooks${rest}`,
]

/** The inputs that name the owner; exactly one is given. */
export const ownerInput = { repo: Type.Optional(RepoPath), workspace: Type.Optional(WorkspaceSlug) }

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

export type OwnerGrants = {
  readonly repo: RepoGrant | null
  readonly workspace: WorkspaceGrant | null
}

/** Throws 404 for the fork of a pull request, which has no webhooks. */
export function ownerOf({ repo, workspace }: OwnerGrants): Owner {
  if (repo !== null) {
    if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
    return { repo_id: repo.id, workspace_id: null }
  }
  if (workspace === null) throw new TypeError('neither a repository nor a workspace was granted')
  return { repo_id: null, workspace_id: workspace.id }
}

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
