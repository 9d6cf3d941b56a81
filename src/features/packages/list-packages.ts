import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { Type, WorkspaceSlug } from '#core/schema.ts'
import { repoByPath } from '#features/repos/index.ts'
import { factsOfPackage } from './package-facts.ts'
import { packageRecord, preloadPackageRecords, roleOf } from './package-record.ts'
import { Packages, PackageTypeName, parsePackageType, StateInput } from './schema.ts'
import { countPackageRows, listPackageRows } from './store.ts'
import { administeredPackages, visiblePackages } from './visible-packages.ts'

export const listPackages = operation({
  name: 'list_packages',
  summary:
    'List the packages of a workspace that you can see, the most recently changed first. Narrow by type, by text in name or description (q) and by linked repository. Deleted ones are listed for admins of the package.',
  keywords: ['published packages', 'registry', 'images of a workspace', 'which npm packages'],
  route: 'GET /workspaces/{workspace}/packages',
  toolset: 'packages',
  access: publicRead({ scope: 'packages:read' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    package_type: Type.Optional(PackageTypeName),
    q: Type.Optional(
      Type.String({ maxLength: 200, description: 'Text in the name or description.' }),
    ),
    repo: Type.Optional(
      Type.String({
        maxLength: 160,
        description:
          'Only packages that are linked to this repository: its name or <owner>/<name>.',
      }),
    ),
    state: StateInput,
    ...byPage(),
  }),
  output: Packages,
  list: 'page',

  handler: (
    { hearth, db, caller },
    { workspace: slug, package_type, q, repo, state, ...paging },
  ) => {
    const window = windowOf(paging)
    const workspace = hearth.facts.workspace(slug, caller)
    const linked =
      repo === undefined ? null : repoByPath(db, repo.includes('/') ? repo : `${slug}/${repo}`)
    // An unknown workspace or repository returns the same empty list as one without packages.
    if (!workspace || (repo !== undefined && !linked)) return pageOf([], window, 0)
    const type = package_type === undefined ? null : parsePackageType(package_type)
    const wantsDeleted = state === 'deleted' ? true : state === 'all' ? null : false
    const seen = visiblePackages(db, workspace, caller)
    const administered = wantsDeleted === false ? null : administeredPackages(db, workspace, caller)
    const visible =
      administered === null
        ? seen
        : wantsDeleted
          ? administered
          : {
              sql: `(CASE WHEN p.deleted_at IS NULL THEN ${seen.sql} ELSE ${administered.sql} END)`,
              params: [...seen.params, ...administered.params],
            }
    const filter = {
      workspace_id: workspace.id,
      visible,
      deleted: wantsDeleted,
      type: type ?? undefined,
      q,
      repo_id: linked?.id,
    }
    const rows = listPackageRows(db, filter, window)
    preloadPackageRecords(hearth, rows)
    return pageOf(
      rows.map((row) =>
        packageRecord(hearth, row, roleOf(factsOfPackage(db, row, workspace, caller))),
      ),
      window,
      countPackageRows(db, filter),
    )
  },
})
