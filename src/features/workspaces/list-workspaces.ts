import { signedIn } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type } from '#core/schema.ts'
import { workspaceFacts } from './facts.ts'
import { Workspaces } from './schema.ts'
import { findWorkspace, listMemberships } from './store.ts'
import { workspaceRecord } from './workspaces.ts'

/** The slugs of workspaces that a caller may belong to. `workspaceFacts` decides about each. */
function candidateSlugs(db: Db, caller: SignedIn): string[] {
  if (caller.kind === 'workspace') return [caller.username]
  return listMemberships(db, caller.kind === 'agent' ? caller.owner_id : caller.id).map(
    ({ slug }) => slug,
  )
}

export const listWorkspaces = operation({
  name: 'list_workspaces',
  summary: 'List the workspaces that you belong to, newest first, with your role in each.',
  keywords: ['my organizations', 'orgs I belong to', 'namespaces'],
  route: 'GET /workspaces',
  toolset: 'access',
  listed: 'default',
  access: signedIn({ scope: 'workspace:read' }),
  input: Type.Object({ ...byPage() }),
  output: Workspaces,
  list: 'page',

  handler: ({ hearth, db, caller }, input) => {
    const window = windowOf(input)
    const all = candidateSlugs(db, caller).flatMap((slug) => {
      const row = findWorkspace(db, slug)
      const role = workspaceFacts(db, slug, caller)?.role ?? null
      return row && role ? [workspaceRecord(hearth, row, role)] : []
    })
    return pageOf(all.slice(window.offset, window.offset + window.limit + 1), window)
  },
})
