import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { makeRelease } from './make-release.ts'
import { MAX_STAGED_FILES, NewRelease, Release } from './schema.ts'
import { readStaged, requireStagedBytes } from './staged-files.ts'

export const createReleaseWithFiles = operation({
  name: 'create_release_with_files',
  summary:
    'Create a release as create_release does, with files that stage_release_file stored: both or neither.',
  route: null,
  access: writesRepo('write', { scope: 'repo:write' }),
  input: Type.Object({
    repo: RepoPath,
    ...NewRelease.properties,
    files: Type.Array(Type.String({ maxLength: 4000 }), { maxItems: MAX_STAGED_FILES }),
  }),
  output: Release,
  status: 201,

  handler: async (context, { repo: _, files, ...input }) => {
    const staged = readStaged(context.hearth, context, files)
    await requireStagedBytes(context.hearth, staged)
    return makeRelease(context, input, staged)
  },
})
