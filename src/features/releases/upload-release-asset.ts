import { writesRepo } from '#core/access.ts'
import { storeBlob } from '#core/blobs.ts'
import { INLINE_FILE_BODY_LIMIT, incomingFile, InlineFile } from '#core/inline-file.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { oneLine } from '#features/issues/index.ts'
import { requireLive } from '#features/repos/index.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { conflict } from '#lib/errors.ts'
import { typeId } from '#core/ids.ts'
import { parseAssetName, chooseContentType } from './asset-inputs.ts'
import { assetRecord } from './release-record.ts'
import { requireNotFrozen } from './requirements.ts'
import { Asset, MAX_ASSETS, ReleaseId } from './schema.ts'
import { requireRelease } from './store.ts'
import { countAssets, findAsset, insertAsset } from './store-assets.ts'

export const uploadReleaseAsset = operation({
  name: 'upload_release_asset',
  summary:
    'Add a file to a release (Write), under a name that none of its files has. Over REST the body is the file itself and the inputs are in the query; a tool sends up to 8 MiB as base64 in data.',
  keywords: [
    'put a file on a release',
    'upload a binary',
    'attach a file to a release',
    'add a download',
    'upload a build',
  ],
  route: 'POST /repos/{owner}/{name}/releases/{id}/assets',
  toolset: 'releases',
  access: writesRepo('write', { scope: 'repo:write' }),
  input: Type.Object({
    repo: RepoPath,
    id: ReleaseId,
    name: Type.String({ minLength: 1, maxLength: 255, description: 'The name of the file.' }),
    label: Type.Optional(
      Type.String({ maxLength: 255, description: 'What is shown in place of the name.' }),
    ),
    content_type: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Its media type; that of the request or of the name unless given.',
      }),
    ),
    data: Type.Optional(InlineFile),
  }),
  output: Asset,
  status: 201,
  rawBody: true,
  bodyLimit: INLINE_FILE_BODY_LIMIT,

  handler: async ({ hearth, db, repo, caller, write, bytes, signal }, { id, data, ...input }) => {
    const seen = requireRelease(db, repo.id, id, true)
    const name = parseAssetName(input.name)
    const label = (input.label ?? '').trim() === '' ? null : oneLine('label', input.label ?? '')
    const incoming = incomingFile(data, bytes)
    const content_type = chooseContentType(input.content_type, incoming.type, name)
    // Checked before the bytes are received, and again afterwards.
    const mayAdd = (release: typeof seen, from: typeof db, size: number) => {
      requireNotFrozen(hearth, release, 'no file can be added')
      if (findAsset(from, release.id, name))
        throw conflict('already_exists', `the release has a file ${name} already`, { name })
      requireQuota(hearth, from, repo.workspace_id, 'artifacts_bytes', size)
      if (countAssets(from, release.id) >= MAX_ASSETS)
        throw conflict('limit_reached', `the release has ${MAX_ASSETS} files, which is the most`)
    }
    mayAdd(seen, db, incoming.length ?? 0)
    const blob = await storeBlob(hearth, incoming.stream, {
      maxBytes: hearth.settings.releases.max_asset_bytes,
      length: incoming.length,
      signal,
    })
    return write((tx) => {
      requireLive(tx.db, repo.id)
      const release = requireRelease(tx.db, repo.id, id, true)
      mayAdd(release, tx.db, blob.size)
      insertAsset(tx, {
        id: typeId('ast', tx.now_ms),
        release_id: release.id,
        name,
        label,
        content_type,
        size_in_bytes: blob.size,
        sha256: blob.sha256,
        uploader_id: caller.id,
      })
      const made = findAsset(tx.db, release.id, name)
      if (!made) throw new TypeError('the file that was just added is gone')
      return assetRecord(hearth, repo, release, made)
    })
  },
})
