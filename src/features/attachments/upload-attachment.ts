import { writesRepo, type RepoGrant } from '#core/access.ts'
import { storeBlob } from '#core/blobs.ts'
import { typeId } from '#core/ids.ts'
import { INLINE_FILE_BODY_LIMIT, incomingFile, InlineFile } from '#core/inline-file.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { requireLive } from '#features/repos/index.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { contentTypeOf, toFileName, withHead } from './attachment-file.ts'
import { attachmentRecord } from './attachment-record.ts'
import { Attachment } from './schema.ts'
import { countUnused, findAttachment, insertAttachment } from './store.ts'

/** Uploads of one account that no text names. More are refused, so that nobody fills the disk. */
export const MAX_UNUSED = 100

/** The fork of a pull request has no texts of its own. */
function requireOwnRepo(repo: RepoGrant): void {
  if (repo.parent_id !== null)
    throw invalid('repo', 'files are attached in the repository itself, not in the fork')
}

export const uploadAttachment = operation({
  name: 'upload_attachment',
  summary:
    'Upload a picture or another file for a text (whoever may comment). Write `markdown` of the answer into the text; until then only you see the file. REST takes the file as the body or as a form with a file; a tool sends up to 8 MiB as base64 in data.',
  keywords: [
    'upload a screenshot',
    'attach a file',
    'add a screenshot',
    'paste a picture',
    'upload an image',
    'add a log',
  ],
  route: 'POST /repos/{owner}/{name}/attachments',
  toolset: 'issues',
  access: writesRepo('read', { scope: 'issues:write' }),
  input: Type.Object({
    repo: RepoPath,
    name: Type.String({ minLength: 1, maxLength: 1000, description: 'The name of the file.' }),
    data: Type.Optional(InlineFile),
  }),
  output: Attachment,
  status: 201,
  rawBody: true,
  multipartBody: true,
  bodyLimit: INLINE_FILE_BODY_LIMIT,

  handler: async ({ hearth, db, repo, caller, write, bytes, signal }, { name: given, data }) => {
    requireOwnRepo(repo)
    const name = toFileName(given)
    const incoming = incomingFile(data, bytes)
    // Checked before the bytes are received, and again afterwards.
    const requireUploadLimits = (from: typeof db, size: number): void => {
      requireQuota(hearth, from, repo.workspace_id, 'artifacts_bytes', size)
      if (countUnused(from, caller.id) >= MAX_UNUSED)
        throw conflict(
          'limit_reached',
          `${MAX_UNUSED} of your uploads are in no text yet: use or delete some first`,
        )
    }
    requireUploadLimits(db, incoming.length ?? 0)
    const { stream, head } = withHead(incoming)
    const blob = await storeBlob(hearth, stream, {
      maxBytes: hearth.settings.attachments.max_bytes,
      length: incoming.length,
      signal,
    })
    if (blob.size === 0) throw invalid('data', 'the file is empty')
    return write((tx) => {
      requireLive(tx.db, repo.id)
      requireUploadLimits(tx.db, blob.size)
      const id = typeId('att', tx.now_ms)
      insertAttachment(tx, {
        id,
        repo_id: repo.id,
        name,
        content_type: contentTypeOf(head(), name),
        size_in_bytes: blob.size,
        sha256: blob.sha256,
        uploader_id: caller.id,
      })
      const row = findAttachment(tx.db, id)
      if (!row) throw new TypeError('the file that was just added is gone')
      return attachmentRecord(hearth, repo, row)
    })
  },
})
