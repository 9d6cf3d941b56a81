/**
 * The role of a caller in a workspace. A workspace token and an agent are members of their own
 * workspace, never owners. `limitWorkspaceFacts` applies the limits of tokens.
 */
import { limitWorkspaceFacts, type WorkspaceFacts, type WorkspaceRole } from '#core/access.ts'
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { findUser } from '#features/accounts/index.ts'
import { findStanding, findWorkspace } from './store.ts'
import { formerWorkspace } from './store-redirects.ts'

type Standing = { role: WorkspaceRole; two_factor_missing: boolean }

function findCallerStanding(db: Db, workspace_id: string, caller: Caller): Standing | null {
  switch (caller.kind) {
    case 'anonymous':
      return null
    case 'workspace':
      return caller.id === workspace_id ? { role: 'member', two_factor_missing: false } : null
    case 'agent': {
      const owner =
        caller.token.workspace === null || caller.token.workspace === workspace_id
          ? findStanding(db, workspace_id, caller.owner_id)
          : null
      return owner && { role: 'member', two_factor_missing: owner.two_factor_missing }
    }
    case 'user':
      return findStanding(db, workspace_id, caller.id)
  }
}

/**
 * Looks up a workspace for a caller. A former slug also finds it while nobody else has that slug;
 * the response names the current one.
 */
export function workspaceFacts(db: Db, slug: string, caller: Caller): WorkspaceFacts | null {
  const row = findWorkspace(db, slug) ?? (findUser(db, slug) ? null : formerWorkspace(db, slug))
  if (!row) return null
  const standing = findCallerStanding(db, row.id, caller)
  const facts = {
    id: row.id,
    slug: row.slug,
    role: standing?.role ?? null,
    two_factor_missing: standing?.two_factor_missing ?? false,
  }
  return limitWorkspaceFacts(facts, caller)
}
