import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { commitOf } from './commit-of.ts'
import { dependencyRecords } from './dependency-records.ts'
import { readLockFiles } from './lock-files.ts'
import { Dependencies, ECOSYSTEMS, RefInput } from './schema.ts'

export const listDependencies = operation({
  name: 'list_dependencies',
  summary:
    'List the packages that a repository uses, by the lock files of a commit: direct ones first, then by name. Of 11 ecosystems, with version, scope, lock file and license where it is known.',
  keywords: ['dependency graph', 'packages used', 'lock files', 'licenses of dependencies'],
  route: 'GET /repos/{owner}/{name}/dependencies',
  toolset: 'security',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: RefInput,
    query: Type.Optional(
      Type.String({ maxLength: 200, description: 'Only packages with this in their name.' }),
    ),
    type: Type.Optional(OneOf(ECOSYSTEMS)),
    direct: Type.Optional(
      Type.Boolean({ description: 'Only those that the project itself asks for, or the others.' }),
    ),
    ...byPage(),
  }),
  output: Dependencies,
  list: 'page',
  // Whoever can push writes the lock files.
  untrusted: ({ items }) =>
    items.flatMap((_, index) => [`/items/${index}/name`, `/items/${index}/version`]),

  handler: async ({ hearth, repo, signal }, { ref, query = '', type, direct, ...paging }) => {
    const commit = await commitOf(hearth, repo, ref)
    const files = commit === null ? [] : await readLockFiles(hearth, repo.store, commit, signal)
    const word = query.trim().toLowerCase()
    const records = dependencyRecords(files).filter(
      (one) =>
        (type === undefined || one.type === type) &&
        (direct === undefined || one.direct === direct) &&
        one.name.toLowerCase().includes(word),
    )
    const window = windowOf(paging)
    return pageOf(records.slice(window.offset), window, records.length)
  },
})
