import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { storageOfRepo } from '#features/repos/index.ts'
import { familyOf } from './family.ts'

/** For the page of large files. */
export const getLfsUsage = operation({
  name: 'get_lfs_usage',
  summary: 'Count the large files of a repository.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: Type.Object({
    files: Type.Integer(),
    bytes: Type.Integer(),
  }),

  handler: ({ db, repo }) => storageOfRepo(db, familyOf(repo), 'lfs'),
})
