/** Attachments: pictures and other files in the texts of a repository. A leaf. */
import { blobHolders } from '#core/blobs.ts'
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import {
  attachmentImporters,
  authorChanges,
  repoDataRemovers,
  storedBytesCounter,
} from '#features/repos/index.ts'
import { usageCounters } from '#features/workspaces/index.ts'
import { attachmentImporter } from './attachment-importer.ts'
import { collectAttachments } from './collect-attachments.ts'
import * as operations from './operations.ts'
import { recordUses } from './record-uses.ts'
import { changeUploader, holdsBlob, listBlobs, removeAttachmentsOf } from './store.ts'

export * from './schema.ts'
export * from './operations.ts'
export { INLINE_TYPES } from './attachment-file.ts'

export const feature: Feature = {
  name: 'attachments',
  operations: Object.values(operations),
  handlers: [recordUses],
  jobs: [collectAttachments as Job],
  extensions: [
    repoDataRemovers.with(removeAttachmentsOf),
    attachmentImporters.with(attachmentImporter),
    authorChanges.with(changeUploader),
    blobHolders.with({ isReferenced: holdsBlob, list: listBlobs }),
    usageCounters.with({ part: 'artifacts_bytes', count: storedBytesCounter('attachments') }),
  ],
}
