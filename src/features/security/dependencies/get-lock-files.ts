import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { commitOf } from './commit-of.ts'
import { readLockFiles } from './lock-files.ts'
import { LockFiles, RefInput } from './schema.ts'

export const getLockFiles = operation({
  name: 'get_lock_files',
  summary: 'The lock files of a commit and which of them cannot be read, for its page.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, ref: RefInput }),
  output: LockFiles,

  handler: async ({ hearth, repo, signal }, { ref }) => {
    const commit = await commitOf(hearth, repo, ref)
    const files = commit === null ? [] : await readLockFiles(hearth, repo.store, commit, signal)
    return {
      files: files.map(({ path, packages, fault }) => ({
        path,
        packages: packages.length,
        fault: fault && `The file ${fault}.`,
      })),
    }
  },
})
