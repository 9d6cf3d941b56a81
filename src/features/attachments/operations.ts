export { uploadAttachment } from './upload-attachment.ts'
export { listAttachments } from './list-attachments.ts'
export { deleteAttachment } from './delete-attachment.ts'
export { openAttachment } from './open-attachment.ts'
