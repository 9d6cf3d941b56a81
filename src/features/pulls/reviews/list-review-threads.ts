/**
 * Lists the threads on lines, each with its present line. A comment stores the line and commit that
 * it was written on. Pages show the present change, so the line is followed through later pushes.
 */
import { readsRepo } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'
import {
  Comment,
  commentPointers,
  commentRecords,
  inItems,
  untrustedAuthors,
  listLineComments,
  type CommentRow,
} from '#features/issues/index.ts'
import { onPull } from '../inputs.ts'
import { carryPlaces } from '../changes/carry-places.ts'
import { requirePull, type PullRow } from '../store-pulls.ts'
import { threadHunks } from './thread-hunks.ts'

const MAX_COMMENTS = 2_000

const Thread = Type.Object({
  path: Type.String({ description: 'The path of the file now.' }),
  side: OneOf(['new', 'old']),
  line: Nullable(
    Type.Integer({ description: 'The line now; null when the change does not have it any more.' }),
  ),
  resolved: Type.Boolean(),
  hunk: Type.Array(
    Type.Object({
      kind: OneOf(['context', 'add', 'del']),
      old: Nullable(Type.Integer()),
      new: Nullable(Type.Integer()),
      text: Type.String(),
    }),
    { description: 'The lines that it is about, when it was written. Empty when they are gone.' },
  ),
  comments: Type.Array(Comment, { description: 'Oldest first.' }),
})

export const listReviewThreads = operation({
  name: 'list_review_threads',
  summary: 'The conversations on lines of a pull request, each where its line is now.',
  route: null,
  toolset: 'pulls',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object(onPull),
  output: Type.Array(Thread),
  untrusted: (threads, reading) => {
    const distrusted = untrustedAuthors(reading)
    return threads.flatMap(({ comments, hunk }, at) => [
      ...(hunk.length > 0 ? [`/${at}/hunk`] : []),
      ...inItems(`/${at}/comments`, comments, distrusted, commentPointers),
    ])
  },

  handler: async ({ hearth, db, repo }, { number }) => {
    const pull = requirePull(db, repo.id, number)
    const rows = listLineComments(db, repo.id, number).slice(0, MAX_COMMENTS)
    const roots = rows.filter(({ in_reply_to }) => in_reply_to === null)
    const places = await presentLines(hearth, repo.store, pull, roots)
    const hunks = await threadHunks(hearth, repo.store, pull, roots)
    const records = new Map(commentRecords(hearth, rows).map((record) => [record.id, record]))
    const replies = Map.groupBy(rows, ({ in_reply_to }) => in_reply_to)
    return roots.map((root) => {
      const place = places.get(root.id)
      return {
        path: place?.path ?? root.path ?? '',
        side: root.side ?? 'new',
        line: place?.line ?? null,
        resolved: root.resolved === 1,
        hunk: (hunks.get(root.id) ?? []).map(({ kind, old, new: now, text }) => ({
          kind,
          old,
          new: now,
          text,
        })),
        comments: [root, ...(replies.get(root.id) ?? [])].flatMap(
          ({ id }) => records.get(id) ?? [],
        ),
      }
    })
  },
})

/** The present places of threads. Lines of the base do not move. */
async function presentLines(
  hearth: Hearth,
  store: string,
  pull: PullRow,
  roots: readonly CommentRow[],
): Promise<Map<string, { path: string; line: number }>> {
  const places = roots.flatMap(({ id, path, line, side, outdated, commit_sha }) =>
    outdated === 1 || path === null || line === null
      ? []
      : [{ key: id, commit: side === 'old' ? '' : (commit_sha ?? ''), path, line } as const],
  )
  return carryPlaces(hearth, store, pull.head_sha, places)
}
