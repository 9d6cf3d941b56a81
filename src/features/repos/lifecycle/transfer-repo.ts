import { writesRepoAsPerson } from '#core/access.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type, WorkspaceSlug } from '#core/schema.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { forbidden, invalid, Refusal } from '#lib/errors.ts'
import { listDroppedAccess } from './dropped-access.ts'
import { repoTransferred } from '../events.ts'
import { fullNameOf } from '../access/repo-facts.ts'
import { auditRepo, requireLive, claimName } from './preconditions.ts'
import { repoRecord } from '../profile/repo-record.ts'
import { Repo } from '../schema.ts'
import { requireRepo, setForks, setRepo } from '../store/repos.ts'
import { insertRedirect } from '../store/redirects.ts'

/**
 * Throws 404 for a workspace that the caller does not belong to, and 403 when the caller is not an
 * owner of it.
 */
function requireOwnerOf(
  hearth: Hearth,
  caller: UserCaller,
  slug: string,
): { id: string; slug: string } {
  const facts = hearth.facts.workspace(slug, caller)
  if (!facts || facts.role === null)
    throw new Refusal('not_found', `the workspace ${slug} does not exist, or you cannot see it`, {
      field: 'to',
    })
  if (facts.role !== 'owner')
    throw new Refusal(
      'forbidden',
      `only an owner of the workspace ${slug} may move a repository into it`,
      { reason: 'role', field: 'to' },
    )
  if (facts.two_factor_missing)
    throw forbidden(
      'two_factor_required',
      `the workspace ${slug} requires two-factor sign-in: turn it on in your settings`,
    )
  return facts
}

export const transferRepo = operation({
  name: 'transfer_repo',
  summary:
    'Move a repository to another workspace under its name. For people who own both. Grants of people and teams who are not in the new workspace end; old addresses lead to the new place.',
  keywords: [
    'move to another organization',
    'change the owner of a repository',
    'transfer ownership',
  ],
  route: 'POST /repos/{owner}/{name}/transfer',
  toolset: 'code',
  access: writesRepoAsPerson('admin', { member: 'owner', scope: 'repo:admin access:admin' }),
  input: Type.Object({ repo: RepoPath, to: WorkspaceSlug }),
  output: Repo,
  annotations: { destructive: true },

  handler: ({ hearth, repo, caller, write }, { to }) => {
    requireOwnerOf(hearth, caller, to)
    return write((tx) => {
      const target = requireOwnerOf(hearth, caller, to)
      const row = requireLive(tx.db, repo.id)
      if (target.id === row.workspace_id)
        throw invalid('to', `${repo.full_name} is in the workspace ${target.slug} already`)
      const before = fullNameOf(tx.db, row)
      claimName(tx, row.id, target, row.name)
      requireQuota(hearth, tx.db, target.id, 'repositories', 1)
      requireQuota(hearth, tx.db, target.id, 'repos_bytes', row.size_in_bytes)
      setRepo(tx, row.id, { workspace_id: target.id })
      setForks(tx, row.id, { workspace_id: target.id })
      insertRedirect(tx, row, row.id)
      tx.append(
        repoTransferred,
        { workspace_id: target.id, repo_id: row.id },
        { previous_workspace: repo.workspace, workspace: target.slug },
      )
      const moved = requireRepo(tx.db, row.id)
      const entry = { before, after: fullNameOf(tx.db, moved), dropped: listDroppedAccess(tx) }
      // The entry is written to the audit logs of both workspaces.
      auditRepo(tx, 'repo.transferred', moved, entry)
      auditRepo(tx, 'repo.transferred', { ...moved, workspace_id: row.workspace_id }, entry)
      return repoRecord(hearth, moved, caller)
    })
  },
})
