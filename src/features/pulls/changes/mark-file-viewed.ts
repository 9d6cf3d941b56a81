import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { onPull } from '../inputs.ts'
import { freshStats } from './stats.ts'
import { requirePull } from '../store-pulls.ts'
import { removeViewed, setViewed, versionOf } from './store-viewed-files.ts'

/** Used by the website only. Marks are private to the reader. */
export const markFileViewed = operation({
  name: 'mark_file_viewed',
  summary:
    'Mark a changed file of a pull request as seen in its present version, or with viewed false as not.',
  route: null,
  toolset: 'pulls',
  access: writesRepo('read', { scope: 'pulls:read', whileArchived: true }),
  input: Type.Object({
    ...onPull,
    path: Type.String({ minLength: 1, maxLength: 4096 }),
    viewed: Type.Optional(Type.Boolean({ description: 'true unless given.' })),
  }),
  output: Type.Object({ path: Type.String(), viewed: Type.Boolean() }),

  handler: async ({ hearth, db, repo, caller, write }, { number, path, viewed = true }) => {
    const pull = requirePull(db, repo.id, number)
    if (pull.head_sha === null) throw conflict('not_ready', 'nothing has been pushed yet')
    const stats = await freshStats(hearth, pull)
    const { files } = await hearth.git.diff(
      repo.store,
      stats?.merge_base_sha ?? null,
      pull.head_sha,
      { hunks: false, paths: [path] },
    )
    const removed = files.find((file) => file.path === path)
    const entry = await hearth.git.findEntry(repo.store, pull.head_sha, path)
    if (!removed && !entry)
      throw invalid('path', `${JSON.stringify(path.slice(0, 200))} is not changed here`)
    return write((tx) => {
      const mark = { pull_id: pull.id, user_id: caller.id, path }
      if (viewed) setViewed(tx, { ...mark, oid: versionOf(entry?.oid ?? null) })
      else removeViewed(tx, mark)
      return { path, viewed }
    })
  },
})
