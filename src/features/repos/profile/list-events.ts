import { readsRepo } from '#core/access.ts'
import { EVENT_TYPES, PRIVATE_EVENT_TYPES } from '#core/event-types.ts'
import { listEvents as listEventRows } from '#core/events.ts'
import { operation } from '#core/operation.ts'
import { beforeOf, byBefore, keyPageOf } from '#core/page.ts'
import { ListOf, RepoPath, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { eventRecords } from './event-record.ts'
import { EventRecord } from '../schema.ts'

export const listEvents = operation({
  name: 'list_events',
  summary:
    'Read the timeline of a repository that you can see, newest first: pushes, issues, pull requests, comments and more. Go back with before; narrow with types.',
  keywords: ['timeline', 'activity', 'what happened in a repository', 'recent activity', 'feed'],
  route: 'GET /v1/repos/{owner}/{name}/events',
  toolset: 'code',
  listed: 'default',
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({
    repo: RepoPath,
    ...byBefore(),
    types: Type.Optional(
      Type.Array(Type.String({ maxLength: 60 }), {
        maxItems: 50,
        description: 'Only these types, such as git.push.',
      }),
    ),
  }),
  output: ListOf(EventRecord),
  list: 'before',

  handler: ({ hearth, db, repo }, { types, ...paging }) => {
    const unknown = types?.find((type) => !EVENT_TYPES.has(type))
    if (unknown !== undefined)
      throw invalid('types', `there is no event type ${JSON.stringify(unknown)}`)
    const { before, limit } = beforeOf(paging, 'evt')
    const except = repo.can('write') || repo.isSecurityManager() ? [] : PRIVATE_EVENT_TYPES
    const rows = listEventRows(db, { repo_id: repo.id, types, except, before, limit: limit + 1 })
    return keyPageOf(eventRecords(hearth, rows), limit, ({ id }) => id)
  },
})
