import { writesWorkspaceAsPerson } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type, WorkspaceSlug } from '#core/schema.ts'
import { endTokensOf, removeActor } from '#features/accounts/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { workspaceCleanups, workspaceContents } from './extension-points.ts'
import { countRepositoryRows, countUnpurgedRepositories, removeWorkspaceRow } from './store.ts'
import { requireWorkspace } from './workspaces.ts'

function requireWithoutRepositories(slug: string, repositories: number): void {
  if (repositories > 0)
    throw conflict(
      'not_empty',
      `${slug} has ${repositories} repositories, deleted ones that are not purged included; transfer or purge them first`,
      { repositories },
    )
}

function requireWithoutContents(hearth: Hearth, db: Db, slug: string, id: string): void {
  for (const countContents of workspaceContents.all(hearth)) {
    const { count, what } = countContents(db, id)
    if (count > 0)
      throw conflict(
        'not_empty',
        `${slug} has ${count} ${what}, deleted ones that are not purged included; delete and purge them first`,
        { [what]: count },
      )
  }
}

/**
 * Deletes members, teams, invitations and tokens with the workspace. No event is appended, because
 * the timeline is deleted too.
 */
export const deleteWorkspace = operation({
  name: 'delete_workspace',
  summary:
    'Delete a workspace that has no repositories and packages left; deleted ones count until they are purged. confirm must be its slug. For its owners, people only. The answer is empty.',
  keywords: ['delete organization', 'remove org', 'close company account'],
  route: 'DELETE /workspaces/{workspace}',
  toolset: 'access',
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    confirm: Type.String({
      maxLength: 100,
      description: 'The slug of the workspace, to make sure.',
    }),
  }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: async ({ hearth, db, workspace, write }, { confirm }) => {
    if (confirm !== workspace.slug)
      throw invalid('confirm', `confirm must be ${workspace.slug}, the slug of the workspace`)
    requireWithoutRepositories(workspace.slug, countUnpurgedRepositories(db, workspace.id))
    requireWithoutContents(hearth, db, workspace.slug, workspace.id)
    for (const cleanUp of workspaceCleanups.all(hearth)) await cleanUp(hearth, workspace.id)
    return write((tx) => {
      const row = requireWorkspace(tx.db, workspace.id)
      requireWithoutRepositories(row.slug, countRepositoryRows(tx.db, row.id))
      requireWithoutContents(hearth, tx.db, row.slug, row.id)
      tx.audit({
        action: 'workspace.deleted',
        target: { kind: 'workspace', id: row.id, name: row.slug },
        workspace_id: row.id,
        data: { before: { name: row.name } },
      })
      endTokensOf(tx, row.id)
      removeWorkspaceRow(tx.db, row.id)
      removeActor(tx, row.id)
      return null
    })
  },
})
