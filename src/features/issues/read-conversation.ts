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
import { commentPointers, untrustedAuthors } from './untrusted-texts.ts'

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
  untrusted: ({ comments }, reading) => {
    const distrusted = untrustedAuthors(reading)
    return comments.flatMap((comment, index) =>
      distrusted(comment.author) ? commentPointers(`/comments/${index}`, comment) : [],
    )
  },

  handler: ({ hearth, db, repo }, { number, types, before, from, limit }) => {
    requireRecord(db, repo.id, number)
    const near = (at: { before?: string; from?: string; limit: number }): Near =>
      readNear(db, { ...at, repo_id: repo.id, number, types })
    const { comments, events } =
      from === undefined ? near({ limit, ...(before && { before }) }) : near({ from, limit })
    const earlier = from === undefined ? null : near({ before: from, limit: 1 })
    return {
      comments: commentRecords(hearth, comments),
      events: eventRecords(hearth, events),
      starts: earlier !== null && earlier.comments.length + earlier.events.length === 0,
    }
  },
})

type Near = { readonly comments: readonly CommentRow[]; readonly events: readonly EventRow[] }

/**
 * Oldest first. Events are read no further than the comments go, because a record has far more events
 * of other types: one for each comment.
 */
function readNear(
  db: Db,
  {
    before,
    from,
    limit,
    ...of
  }: {
    readonly before?: string
    readonly from?: string
    readonly limit: number
    readonly repo_id: string
    readonly number: number
    readonly types: readonly string[]
  },
): Near {
  const isBackward = from === undefined
  const comments = listCommentsNear(db, of.repo_id, of.number, {
    limit,
    ...(before === undefined ? {} : { before: `cmt_${before}` }),
    ...(isBackward ? {} : { from: `cmt_${from}` }),
  })
  const end = comments.length < limit ? null : (comments.at(-1)?.id.replace('cmt_', 'evt_') ?? null)
  const events = listEvents(db, {
    ...of,
    limit,
    before: isBackward ? (before === undefined ? null : `evt_${before}`) : end,
    from: isBackward ? end : `evt_${from}`,
    oldestFirst: !isBackward,
  })
  return isBackward
    ? { comments: comments.toReversed(), events: events.toReversed() }
    : { comments, events }
}
