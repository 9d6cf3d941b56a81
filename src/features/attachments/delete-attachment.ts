import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { isAuthor } from '#features/issues/index.ts'
import { auditRepo, requireLive } from '#features/repos/index.ts'
import { readerOf } from './reader.ts'
import { AttachmentId } from './schema.ts'
import { removeAttachment, requireAttachment } from './store.ts'

export const deleteAttachment = operation({
  name: 'delete_attachment',
  summary:
    'Delete an attached file for good; links to it in texts lead nowhere then. Whoever uploaded it, or Maintain. The answer is empty.',
  keywords: ['remove a screenshot', 'remove an uploaded file', 'take down a picture'],
  route: 'DELETE /repos/{owner}/{name}/attachments/{id}',
  toolset: 'issues',
  access: writesRepo('read', { scope: 'issues:write' }),
  annotations: { destructive: true },
  input: Type.Object({ repo: RepoPath, id: AttachmentId }),
  output: Nothing,
  status: 204,

  handler: ({ hearth, db, repo, caller, write }, { id }) => {
    const reader = readerOf(caller, repo.can('write'))
    if (!isAuthor(hearth, caller, requireAttachment(db, repo.id, id, reader).uploader_id))
      repo.require('maintain')
    return write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const row = requireAttachment(tx.db, repo.id, id, reader)
      removeAttachment(tx, id)
      auditRepo(tx, 'attachment.deleted', live, {
        before: { attachment: id, file: row.name, sha256: row.sha256 },
      })
      return null
    })
  },
})
