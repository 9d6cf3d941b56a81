import { readsRepo } from '#core/access.ts'
import { listEvents } from '#core/events.ts'
import { operation } from '#core/operation.ts'
import { beforeOf, byBefore, keyPageOf } from '#core/page.ts'
import { ListOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { eventRecords } from '#features/repos/index.ts'
import { EventRecord } from '#features/repos/schema.ts'
import { requireRecord } from './require-records.ts'

export const listIssueEvents = operation({
  name: 'list_issue_events',
  summary:
    'Read what happened to one issue or pull request of a repository that you can see, newest first. Go back with before.',
  keywords: ['history of an issue', 'what happened to an issue', 'issue timeline', 'who closed'],
  route: 'GET /repos/{owner}/{name}/issues/{number}/events',
  toolset: 'issues',
  listed: 'default',
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber, ...byBefore() }),
  output: ListOf(EventRecord),
  list: 'before',

  handler: ({ hearth, db, repo }, { number, ...paging }) => {
    requireRecord(db, repo.id, number)
    const { before, limit } = beforeOf(paging, 'evt')
    const rows = listEvents(db, { repo_id: repo.id, number, before, limit: limit + 1 })
    return keyPageOf(eventRecords(hearth, rows), limit, ({ id }) => id)
  },
})
