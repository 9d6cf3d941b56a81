import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { beforeOf, byBefore } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { attachmentRecords } from './attachment-record.ts'
import { readerOf } from './reader.ts'
import { Attachments } from './schema.ts'
import { listVisible } from './store.ts'

export const listAttachments = operation({
  name: 'list_attachments',
  summary:
    'List the files attached to texts of a repository that you can see, the newest first. Your own uploads are among them before a text names them.',
  keywords: ['attached files', 'screenshots', 'uploads', 'pictures in issues'],
  route: 'GET /repos/{owner}/{name}/attachments',
  toolset: 'issues',
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({ repo: RepoPath, ...byBefore() }),
  output: Attachments,
  list: 'before',

  handler: ({ hearth, db, repo, caller }, paging) => {
    const { before, limit } = beforeOf(paging, 'att')
    const reader = readerOf(caller, repo.can('write'))
    const rows = listVisible(db, repo.id, reader, { before, limit: limit + 1 })
    const items = attachmentRecords(hearth, repo, rows.slice(0, limit))
    return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
  },
})
