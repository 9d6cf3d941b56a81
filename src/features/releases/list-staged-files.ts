import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { MAX_STAGED_FILES } from './schema.ts'
import { findStaged } from './staged-files.ts'

export const listStagedFiles = operation({
  name: 'list_staged_files',
  summary:
    'Name the files that were stored for a release that is still being written. Those that are not valid any more are left out.',
  route: null,
  access: writesRepo('write', { scope: 'repo:write' }),
  input: Type.Object({
    repo: RepoPath,
    files: Type.Array(Type.String({ maxLength: 4000 }), { maxItems: MAX_STAGED_FILES }),
  }),
  output: Type.Object({
    files: Type.Array(
      Type.Object({ token: Type.String(), name: Type.String(), size_in_bytes: Type.Integer() }),
    ),
  }),

  handler: ({ hearth, repo, caller }, { files }) => ({
    files: files.flatMap((token) => {
      const file = findStaged(hearth, { repo, caller }, token)
      return file ? [{ token, name: file.name, size_in_bytes: file.size_in_bytes }] : []
    }),
  }),
})
