/**
 * Reads a part of the conversation of an issue or pull request. Comments and events are in one order,
 * that of their ids, whose ends are places in it.
 */
import { readsRepo } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import { listEvents, type EventRow } from '#core/events.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { eventRecords } from '#features/repos/index.ts'
import { EventRecord } from '#features/repos/schema.ts'
import { commentRecords } from './comments/comment-record.ts'
import { listCommentsNear, type CommentRow } from './comments/store-comments.ts'
import { requireRecord } from './require-records.ts'
import { Comment } from './schema.ts'
import { commentPointers, inItems, untrustedAuthors } from './untrusted-texts.ts'

const MAX_ITEMS = 100

/** The end of an id, after its prefix. */
const Place = Type.String({ pattern: '^[0-7][0-9a-hjkmnp-tv-z]{25}$' })

/** Used by the website only. */
export const readConversation = operation({
  name: 'read_conversation',
  summary:
    'A part of a conversation: the last comments and events, those before a place, or those from a place on. Comments on lines are left out.',
  route: null,
  toolset: 'issues',
  access: readsRepo({ scope: 'issues:read' }),
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    types: Type.Array(Type.String({ maxLength: 50 }), {
      maxItems: 50,
      description: 'The types of the events.',
    }),
    before: Type.Optional(Place),
    from: Type.Optional(Place),
    limit: Type.Integer({ minimum: 1, maximum: MAX_ITEMS }),
  }),
  output: Type.Object({
    comments: Type.Array(Comment, { description: 'Oldest first, at most `limit`.' }),
    events: Type.Array(EventRecord, { description: 'Oldest first, at most `limit`.' }),
    starts: Type.Boolean({ description: 'Whether the conversation has nothing before `from`.' }),
  }),
  untrusted: ({ comments }, reading) =>
    inItems('/comments', comments, untrustedAuthors(reading), commentPointers),

  handler: ({ hearth, db, repo }, { number, types, before, from, limit }) => {
    requireRecord(db, repo.id, number)
    const record = { repo_id: repo.id, number, types }
    const { comments, events } =
      from === undefined ? readBefore(db, record, before, limit) : readFrom(db, record, from, limit)
    const earlier = from === undefined ? null : readBefore(db, record, from, 1)
    return {
      comments: commentRecords(hearth, comments),
      events: eventRecords(hearth, events),
      starts: earlier !== null && earlier.comments.length + earlier.events.length === 0,
    }
  },
})

type Near = { readonly comments: readonly CommentRow[]; readonly events: readonly EventRow[] }
type Conversation = {
  readonly repo_id: string
  readonly number: number
  readonly types: readonly string[]
}

const idAt = (prefix: 'cmt' | 'evt', place: string | undefined): string | undefined =>
  place && `${prefix}_${place}`

/**
 * Events are read no further than the comments go, because a record has far more events of other
 * types: one for each comment. Null when the comments were not cut.
 */
const endOf = (comments: readonly CommentRow[], limit: number): string | null =>
  comments.length < limit ? null : (comments.at(-1)?.id.replace('cmt_', 'evt_') ?? null)

/** The last comments and events, or those before a place, oldest first. */
function readBefore(db: Db, of: Conversation, before: string | undefined, limit: number): Near {
  const comments = listCommentsNear(db, of.repo_id, of.number, {
    before: idAt('cmt', before),
    limit,
  })
  const events = listEvents(db, {
    ...of,
    before: idAt('evt', before),
    from: endOf(comments, limit),
    limit,
  })
  return { comments: comments.toReversed(), events: events.toReversed() }
}

/** The comments and events from a place on, oldest first. */
function readFrom(db: Db, of: Conversation, from: string, limit: number): Near {
  const comments = listCommentsNear(db, of.repo_id, of.number, { from: idAt('cmt', from), limit })
  const events = listEvents(db, {
    ...of,
    before: endOf(comments, limit),
    from: idAt('evt', from),
    oldestFirst: true,
    limit,
  })
  return { comments, events }
}
