import { writesRepo } from '#core/access.ts'
import { storeBlob } from '#core/blobs.ts'
import { INLINE_FILE_BODY_LIMIT, incomingFile } from '#core/inline-file.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { chooseContentType, parseAssetName } from './asset-inputs.ts'
import { requireOwnRepo } from './requirements.ts'
import { stagedToken } from './staged-files.ts'

export const stageReleaseFile = operation({
  name: 'stage_release_file',
  summary:
    'Store a file for a release that is still being written (Write). Answers a token for create_release_with_files, which holds for 12 hours.',
  route: null,
  access: writesRepo('write', { scope: 'repo:write' }),
  input: Type.Object({
    repo: RepoPath,
    name: Type.String({ minLength: 1, maxLength: 255, description: 'The name of the file.' }),
  }),
  output: Type.Object({ token: Type.String() }),
  rawBody: true,
  bodyLimit: INLINE_FILE_BODY_LIMIT,

  handler: async ({ hearth, db, repo, caller, bytes, signal }, input) => {
    requireOwnRepo(repo)
    const name = parseAssetName(input.name)
    const { stream, length, type } = incomingFile(undefined, bytes)
    requireQuota(hearth, db, repo.workspace_id, 'artifacts_bytes', length ?? 0)
    const { sha256, size } = await storeBlob(hearth, stream, {
      maxBytes: hearth.settings.releases.max_asset_bytes,
      length,
      signal,
    })
    const content_type = chooseContentType(undefined, type, name)
    const file = { name, content_type, size_in_bytes: size, sha256 }
    return { token: stagedToken(hearth, { repo, caller }, file) }
  },
})
