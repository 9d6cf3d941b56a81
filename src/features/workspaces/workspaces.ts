/** Creates workspaces and their records. */
import type { WorkspaceRole } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { avatarUrl, recordActor } from '#features/accounts/index.ts'
import { notFound } from '#lib/errors.ts'
import { typeId } from '#core/ids.ts'
import { requireMembershipLimit } from './members.ts'
import type { Workspace, WorkspaceBasics } from './schema.ts'
import {
  countMembers,
  insertMember,
  insertWorkspace,
  workspaceById,
  type WorkspaceRow,
} from './store.ts'

export const MAX_NAME_LENGTH = 80
export const MAX_DESCRIPTION_LENGTH = 160

/** One line of at most `length` characters. Longer text is cut. */
export const oneLine = (text: string, length: number): string =>
  [...text.replace(/[\s\p{Cc}]+/gu, ' ').trim()].slice(0, length).join('').trimEnd()

/**
 * Creates a workspace with its first owner. Throws 422 for the slug, and 409 `already_exists` and
 * `limit_reached`.
 */
export function addWorkspace(
  tx: Tx,
  { slug, name, owner_id }: { slug: string; name?: string; owner_id: string },
): WorkspaceRow {
  const id = typeId('wsp', tx.now_ms)
  recordActor(tx, {
    id,
    kind: 'workspace',
    username: slug,
    name: oneLine(name ?? '', MAX_NAME_LENGTH) || slug,
    owner_id,
  })
  requireMembershipLimit(tx, owner_id)
  insertWorkspace(tx.db, { id, created_by: owner_id, now: tx.now })
  insertMember(tx.db, {
    workspace_id: id,
    user_id: owner_id,
    role: 'owner',
    invited_by: null,
    now: tx.now,
  })
  tx.audit({
    action: 'workspace.created',
    target: { kind: 'workspace', id, name: slug },
    workspace_id: id,
  })
  return requireWorkspace(tx.db, id)
}

/** The workspace of a granted id. It is missing only when it was deleted meanwhile. */
export function requireWorkspace(db: Hearth['db'], id: string): WorkspaceRow {
  const row = workspaceById(db, id)
  if (!row) throw notFound('the workspace')
  return row
}

export const workspaceBasics = (
  { db }: Pick<Hearth, 'db'>,
  row: WorkspaceRow,
): WorkspaceBasics => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  created_at: row.created_at,
  member_count: countMembers(db, row.id),
  base_permission: row.base_permission,
})

export const workspaceRecord = (
  hearth: Hearth,
  row: WorkspaceRow,
  role: WorkspaceRole,
): Workspace => ({
  ...workspaceBasics(hearth, row),
  team_creation: row.team_creation,
  package_creation: row.package_creation,
  members_can_create_public_repositories: row.members_can_create_public_repositories === 1,
  members_can_create_private_repositories: row.members_can_create_private_repositories === 1,
  members_can_change_repo_visibility: row.members_can_change_repo_visibility === 1,
  members_can_delete_repositories: row.members_can_delete_repositories === 1,
  members_can_invite_outside_collaborators: row.members_can_invite_outside_collaborators === 1,
  two_factor_requirement_enabled: row.two_factor_requirement_enabled === 1,
  memory_review: row.memory_review === 1,
  secret_scanning_required: row.secret_scanning_required === 1,
  push_protection_required: row.push_protection_required === 1,
  html_url: `${hearth.settings.site_url}/${row.slug}`,
  avatar_url: avatarUrl(hearth, row.id),
  repositories_count: row.repositories_count,
  role,
})
