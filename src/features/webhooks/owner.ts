/**
 * Whose webhooks are meant: a repository's, for those with admin on it, or a workspace's, for its
 * owners.
 */
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

/** The written addresses below both, for the methods that a route begins with. */
export const hookRoutes = (method: string, rest = ''): readonly string[] => [
  `${method} /repos/{owner}/{name}/hooks${rest}`,
  `${method} /workspaces/{workspace}/hooks${rest}`,
]

/** One of the two names whose webhooks are meant. */
export const place = { repo: Type.Optional(RepoPath), workspace: Type.Optional(WorkspaceSlug) }

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

export type Grants = { readonly repo: RepoGrant | null; readonly workspace: WorkspaceGrant | null }

/**
 * Gives 404 for the fork of a pull request: what happens there is told as a change of the pull
 * request.
 */
export function ownerOf({ repo, workspace }: Grants): Owner {
  if (repo !== null) {
    if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
    return { repo_id: repo.id, workspace_id: null }
  }
  if (workspace === null) throw new TypeError('neither a repository nor a workspace was granted')
  return { repo_id: null, workspace_id: workspace.id }
}

/** Gives 404 for an id that is no webhook of this owner. */
export function requireHook(db: Db, grants: Grants, id: string): HookRow {
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

/** Gives 404 for an id that is no delivery of this webhook. */
export function requireDelivery(db: Db, hook: HookRow, id: string): DeliveryRow {
  const row = findDelivery(db, id)
  if (!row || row.hook_id !== hook.id) throw notFound(`the delivery ${id}`)
  return row
}

/** Where audit entries about a webhook belong. */
export const auditPlace = ({
  repo,
  workspace,
}: Grants): { workspace_id: string | null; repo_id: string | null } => ({
  workspace_id: repo?.workspace_id ?? workspace?.id ?? null,
  repo_id: repo?.id ?? null,
})

export function auditHook(
  tx: Tx,
  action: string,
  hook: Pick<HookRow, 'id' | 'url'>,
  grants: Grants,
  data: Record<string, unknown>,
): void {
  // The path of an address is often as good as a password, and the log is read by more people.
  tx.audit({
    action,
    target: { kind: 'webhook', id: hook.id, name: new URL(hook.url).host },
    ...auditPlace(grants),
    data,
  })
}
