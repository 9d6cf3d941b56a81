import { writesWorkspaceAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { renameActor, requireFreeName } from '#features/accounts/index.ts'
import { invalid } from '#lib/errors.ts'
import { Workspace } from './schema.ts'
import { recordFormerSlug } from './store-redirects.ts'
import { requireWorkspace, workspaceRecord } from './workspaces.ts'

/** URLs with the old slug redirect until another user or workspace takes it. */
export const renameWorkspace = operation({
  name: 'rename_workspace',
  summary:
    'Give a workspace another slug, on the website. Addresses with the old one lead on until somebody else takes it. For its owners. Answers with the workspace.',
  route: null,
  access: writesWorkspaceAsPerson('owner', { scope: 'workspace:admin' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    slug: Type.String({ maxLength: 200, description: 'The new slug.' }),
  }),
  output: Workspace,

  handler: ({ hearth, caller, workspace, write }, { slug }) =>
    write((tx) => {
      const row = requireWorkspace(tx.db, workspace.id)
      if (slug === row.slug) throw invalid('slug', `the workspace is called ${slug} already`)
      requireFreeName(tx.db, slug, { field: 'slug', owner_id: caller.id })
      renameActor(tx, row.id, {
        username: slug,
        owner_id: caller.id,
        ...(row.name === row.slug ? { name: slug } : {}),
      })
      recordFormerSlug(tx.db, row.id, { from: row.slug, to: slug })
      tx.audit({
        action: 'workspace.renamed',
        target: { kind: 'workspace', id: row.id, name: slug },
        workspace_id: row.id,
        data: { before: { slug: row.slug }, after: { slug } },
      })
      return workspaceRecord(hearth, requireWorkspace(tx.db, row.id), workspace.role)
    }),
})
