import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { blameFileWithin } from './blame-cache.ts'
import { blameRecords, requireLines } from './blame-records.ts'
import { refuseBadInput } from '../refs/resolve-commit.ts'
import { BlameRecord, linesOfFile } from '../schema.ts'

export const findBlame = operation({
  name: 'find_blame',
  summary:
    'Which commit last changed the lines of a file, when that is found in the time given; for its page.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    ...linesOfFile,
    wait_ms: Type.Integer({ minimum: 0, maximum: 60_000 }),
  }),
  output: Type.Object({
    /** `path` is the name of the file in that commit. */
    items: Type.Array(Type.Object({ ...BlameRecord.properties, path: Type.String() })),
    /** Whether the result is still being computed. */
    late: Type.Boolean(),
  }),

  handler: async ({ hearth, repo }, { wait_ms, ...asked }) => {
    const { commit, path, range } = await requireLines(hearth, repo, asked)
    const lines = await refuseBadInput('path', () =>
      blameFileWithin(hearth, repo.store, commit, path, range, wait_ms),
    )
    if (lines === null) return { items: [], late: true }
    const items = blameRecords(hearth, repo, lines).map((record, at) => ({
      ...record,
      path: lines[at]?.path ?? path,
    }))
    return { items, late: false }
  },
})
