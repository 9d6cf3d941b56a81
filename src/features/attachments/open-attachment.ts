import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { attachmentRecord } from './attachment-record.ts'
import { readerOf } from './reader.ts'
import { Attachment, AttachmentId } from './schema.ts'
import { requireAttachment } from './store.ts'

/** What the route of the file needs to send it. */
export const openAttachment = operation({
  name: 'open_attachment',
  summary: 'Find an attached file for whoever opens it.',
  route: null,
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({ repo: RepoPath, id: AttachmentId }),
  output: Attachment,

  handler: ({ hearth, db, repo, caller }, { id }) =>
    attachmentRecord(
      hearth,
      repo,
      requireAttachment(db, repo.id, id, readerOf(caller, repo.can('write'))),
    ),
})
