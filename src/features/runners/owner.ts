/** The owner of runners: a repository, a workspace or the site. */
import { eitherAs } from '#core/access.ts'
import { ownerOf, type OwnerGrants } from '#core/owner.ts'
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { notFound } from '#lib/errors.ts'
import { findRunner, type RunnerOwner, type RunnerRow } from './store-runners.ts'

export const readsRunners = eitherAs('admin', 'owner', { scope: 'workflows:read' })
export const writesRunners = eitherAs('admin', 'owner', {
  scope: 'workflows:write',
  writes: true,
  person: true,
})

/** The routes below both owners for one method. */
export const runnerRoutes = (method: string, path = 'runners'): readonly string[] => [
  `${method} /workspaces/{workspace}/actions/${path}`,
  `${method} /repos/{owner}/{name}/actions/${path}`,
]

export const SITE: RunnerOwner = { workspace_id: null, repo_id: null }

export const runnerOwnerOf = (grants: OwnerGrants): RunnerOwner => ownerOf(grants)

/** Throws 404 for a runner of another owner. */
export function requireRunner(db: Db, owner: RunnerOwner, id: string): RunnerRow {
  const row = findRunner(db, id)
  if (row?.repo_id !== owner.repo_id || row.workspace_id !== owner.workspace_id)
    throw notFound(`the runner ${id}`)
  return row
}

/** Tokens and their digests are not in the audit log. */
export const auditRunner = (
  tx: Tx,
  action: 'created' | 'removed',
  row: RunnerRow,
  workspace_id: string | null,
): void =>
  tx.audit({
    action: `runner.${action}`,
    target: { kind: 'runner', id: row.id, name: row.name },
    workspace_id,
    repo_id: row.repo_id,
    data: {
      labels: JSON.parse(row.allowed_labels) as string[],
      ephemeral: row.ephemeral === 1,
      accepts_untrusted: row.accepts_untrusted === 1,
    },
  })
