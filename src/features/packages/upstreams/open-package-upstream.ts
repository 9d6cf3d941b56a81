import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { requireUpstream } from './record.ts'
import { UpstreamTypeInput } from './schema.ts'
import type { UpstreamRow } from './store.ts'

/**
 * Strangers never read through: they could make the forge fetch what they like, and what is cached
 * tells what a workspace uses. They have the public registry itself.
 */
export const openPackageUpstream = operation({
  name: 'open_package_upstream',
  summary: 'Find the registry that a member reads through, for the client of a registry.',
  route: null,
  access: readsWorkspace({ scope: 'packages:read' }),
  input: Type.Object({ workspace: WorkspaceSlug, package_type: UpstreamTypeInput }),
  output: Type.Unsafe<UpstreamRow>(Type.Object({})),

  handler: ({ db, workspace }, { package_type }) => requireUpstream(db, workspace.id, package_type),
})
