import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { Refusal } from '#lib/errors.ts'
import { PackageTypeName, parsePackageType } from './schema.ts'
import { listPackageRows, type PackageRow } from './store.ts'
import { asksStrangers } from './upstreams/asks-strangers.ts'
import { visiblePackages } from './visible-packages.ts'

/** Documents of a whole workspace name at most so many packages. */
const MAX_PACKAGES = 50_000

/** What the documents of a whole workspace are made of, such as the index of gems. */
export const readPackageIndex = operation({
  name: 'read_package_index',
  summary: 'List all packages of one type that the caller can see, for the client of a registry.',
  route: null,
  access: publicRead({ scope: 'packages:read' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    package_type: PackageTypeName,
    prefix: Type.Optional(
      Type.String({ maxLength: 300, description: 'Only names that begin with it.' }),
    ),
  }),
  output: Type.Unsafe<readonly PackageRow[]>(Type.Array(Type.Object({}))),

  handler: ({ hearth, db, caller }, { workspace: slug, package_type, prefix }) => {
    const workspace = hearth.facts.workspace(slug, caller)
    const type = parsePackageType(package_type)
    if (!workspace || type === null) return []
    const visible = visiblePackages(db, workspace, caller)
    const rows = listPackageRows(
      db,
      { workspace_id: workspace.id, visible, deleted: false, type, prefix },
      { limit: MAX_PACKAGES, offset: 0 },
    )
    // Clients send their token after 401 only, and would take an empty list for the whole one.
    const isStranger = caller.kind === 'anonymous' && rows.length === 0
    if (isStranger && asksStrangers(db, workspace.id, type))
      throw new Refusal('unauthenticated', 'sign in with a token as the password')
    return rows
  },
})
