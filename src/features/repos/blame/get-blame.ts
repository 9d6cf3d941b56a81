import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { blameFile } from './blame-cache.ts'
import { blameRecords, requireLines } from './blame-records.ts'
import { refuseBadInput } from '../refs/resolve-commit.ts'
import { BlameRecord, linesOfFile } from '../schema.ts'

export const getBlame = operation({
  name: 'get_blame',
  summary:
    'Say for the lines of a file which commit last changed them, and with which pull request. For everyone who can see the repository.',
  keywords: [
    'who wrote this line',
    'annotate',
    'last changed a line',
    'git blame',
    'author of a line',
  ],
  route: 'GET /repos/{owner}/{name}/blame/{path}',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object(linesOfFile),
  output: Type.Array(BlameRecord),

  handler: async ({ hearth, repo }, asked) => {
    const { commit, path, range } = await requireLines(hearth, repo, asked)
    return blameRecords(
      hearth,
      repo,
      await refuseBadInput('path', () => blameFile(hearth, repo.store, commit, path, range)),
    )
  },
})
