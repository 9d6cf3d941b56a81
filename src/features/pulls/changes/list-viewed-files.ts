import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { ListOf, Type } from '#core/schema.ts'
import { onPull } from '../inputs.ts'
import { requirePull } from '../store-pulls.ts'
import { freshStats } from './stats.ts'
import { listViewed, versionOf } from './store-viewed-files.ts'

/** For the list of all files of a change, which has them without their lines. */
export const listViewedFiles = operation({
  name: 'list_viewed_files',
  summary:
    'The paths of the changed files of a pull request that you have marked as viewed in their present version.',
  route: null,
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object({ ...onPull }),
  output: ListOf(Type.String()),

  handler: async ({ hearth, db, git, repo, caller }, { number }) => {
    const pull = requirePull(db, repo.id, number)
    const marks = caller.kind === 'anonymous' ? new Map() : listViewed(db, pull.id, caller.id)
    if (marks.size === 0 || pull.head_sha === null) return { items: [], next: null }
    const stats = await freshStats(hearth, pull)
    const { files } = await git.diff(repo.store, stats?.merge_base_sha ?? null, pull.head_sha, {
      hunks: false,
      paths: [...marks.keys()],
    })
    const isViewed = ({ path, new_oid }: (typeof files)[number]): boolean =>
      marks.get(path) === versionOf(new_oid)
    return { items: files.filter(isViewed).map(({ path }) => path), next: null }
  },
})
