import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { beforeOf, byBefore, keyPageOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { findWorkspace } from '#features/workspaces/index.ts'
import { notFound } from '#lib/errors.ts'
import { canManageImport } from './find-import.ts'
import { importRecord } from './import-record.ts'
import { Imports } from './schema.ts'
import { listImportRows } from './store.ts'

export const listImports = operation({
  name: 'list_imports',
  summary:
    'List the imports that you started, newest first, with how far they have come; for an owner all of a workspace.',
  keywords: ['running imports', 'progress of a migration'],
  route: 'GET /imports',
  toolset: 'mirrors',
  access: signedIn({ scope: 'repo:admin' }),
  input: Type.Object({ workspace: Type.Optional(WorkspaceSlug), ...byBefore() }),
  output: Imports,
  list: 'before',

  handler: ({ hearth, db, caller }, { workspace: slug, ...paging }) => {
    const workspace = slug === undefined ? null : findWorkspace(db, slug)
    if (slug !== undefined && workspace === null) throw notFound(`the workspace ${slug}`)
    const { before, limit } = beforeOf(paging, 'imp')
    const from = { user_id: caller.id, workspace_id: workspace?.id ?? null }
    const { items, next } = keyPageOf(
      listImportRows(db, from, before, limit + 1),
      limit,
      ({ id }) => id,
    )
    return {
      // A token may be limited to less than its person.
      items: items
        .filter((row) => canManageImport(hearth, caller, row))
        .map((row) => importRecord(hearth, row)),
      next,
    }
  },
})
