/** Files in texts: their upload and their addresses. */
import type { SiteSection } from '../../site.ts'
import { attachmentFiles } from './file.ts'
import { attachmentForm } from './upload.ts'

export { attachFile } from './upload.ts'

export const attachments: SiteSection = {
  forms: [attachmentForm],
  resources: attachmentFiles,
}
