/** Adds files in texts of another forge, with their dates and without events. */
import { typeId } from '#core/ids.ts'
import { asOf } from '#features/issues/index.ts'
import { fullName, type AttachmentImporter } from '#features/repos/index.ts'
import { findQuotaProblem } from '#features/workspaces/index.ts'
import { contentTypeOf, toFileName } from './attachment-file.ts'
import { addressOf } from './attachment-record.ts'
import { findAttachment, insertAttachment, insertUse } from './store.ts'

export const attachmentImporter: AttachmentImporter = {
  add(tx, { id: repo_id, workspace_id }, file) {
    const problem = findQuotaProblem(tx.hearth, workspace_id, 'artifacts_bytes', file.size)
    if (problem !== null) return { problem }
    const then = asOf(tx, file.created_ms)
    const id = typeId('att', then.now_ms)
    const name = toFileName(file.name)
    insertAttachment(then, {
      id,
      repo_id,
      name,
      content_type: contentTypeOf(file.head, name),
      size_in_bytes: file.size,
      sha256: file.sha256,
      uploader_id: file.uploader_id,
    })
    return { id }
  },

  addressOf(db, { id: repo_id }, id) {
    const row = findAttachment(db, id)
    return row?.repo_id === repo_id ? addressOf(fullName(db, repo_id), row) : null
  },

  use: insertUse,
}
