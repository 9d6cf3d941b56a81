/** Comments with their reactions, and reviews with their line comments. */
import type { Tx } from '#core/write.ts'
import { importComment, importReactions } from '#features/issues/index.ts'
import { findPull, importReview, type PullRow } from '#features/pulls/index.ts'
import type { Oid } from '#git'
import type {
  ForeignComment,
  ForeignLineComment,
  ForeignReaction,
  ForeignReview,
  Page,
} from '../forges/forge.ts'
import { ForgeError } from '../forges/forge-client.ts'
import { personId } from '../people.ts'
import { rewriteText } from '../rewrite-text.ts'
import { isLastAttempt } from '../store.ts'
import { findItem, insertItem, listNumbersAfter } from '../store-steps.ts'
import type { ListStep, StepContext } from './context.ts'
import { orderOf, presentCommit } from './record-steps.ts'
import { placeFiles, prepareFiles, type PlacedFiles, type ReadyFile } from './text-files.ts'

/** How many records are looked up at once; their comments are read one after the other. */
const RECORDS_PER_PAGE = 20
/** GitLab's line comments of a merge request are one review, which may have thousands. */
const COMMENTS_PER_PIECE = 50
/** Further reactions to one comment are left out. */
const MAX_REACTIONS = 500

/** A record of the other forge whose comments or reviews cannot be read. */
export type Unreadable = { readonly unreadable: string }

/**
 * Reads something of each record, in the order of the numbers. The cursor is the last number. A
 * record that the other forge fails at in every attempt is left out, and the page ends there: the
 * next one gets all attempts again, so that an outage does not leave out what follows.
 */
export async function readByRecord<T>(
  { hearth, row, repo }: StepContext,
  kind: 'pull' | null,
  cursor: string | null,
  read: (record: { number: number; kind: 'issue' | 'pull' }) => Promise<readonly T[]>,
  limit = RECORDS_PER_PAGE,
): Promise<Page<T | Unreadable>> {
  const after = Number(cursor ?? 0)
  const records = listNumbersAfter(hearth.db, repo.id, kind, after, limit)
  const items: (T | Unreadable)[] = []
  let last: number | null = null
  for (const record of records) {
    last = record.number
    try {
      items.push(...(await read(record)))
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error
      const isBroken = error.isTemporary && isLastAttempt(hearth.db, row.id)
      if (!error.isMissing && !isBroken) throw error
      items.push({ unreadable: `#${record.number}: ${error.message}` })
      if (isBroken) break
    }
  }
  const isEnd = records.length < limit && last === (records.at(-1)?.number ?? null)
  return { items, next: last === null || isEnd ? null : String(last), total: null }
}

export const isUnreadable = (item: object): item is Unreadable => 'unreadable' in item

export const reactionsOf = (
  tx: Tx,
  { people }: StepContext,
  reactions: readonly ForeignReaction[],
): { content: ForeignReaction['content']; actor_id: string }[] =>
  reactions
    .slice(0, MAX_REACTIONS)
    .map(({ content, person }) => ({ content, actor_id: personId(tx, people, person) }))

function placeComment(
  tx: Tx,
  around: StepContext,
  comment: ForeignComment,
  files: readonly ReadyFile[],
): string | null {
  const { repo, people } = around
  const { id, number } = comment
  if (findItem(tx.db, repo.id, 'comment', id) !== null) return null
  // Comments of a record that was left out are left out with it.
  if (listNumbersAfter(tx.db, repo.id, null, number - 1, 1)[0]?.number !== number) return null
  const { context, use } = placeFiles(tx, around, files, { ...comment, what: `#${number}` })
  const ours = importComment(tx, {
    repo_id: repo.id,
    number,
    author_id: personId(tx, people, comment.author),
    body: rewriteText(comment.body, context.texts),
    created_ms: comment.created_ms,
    order: orderOf(id),
    updated_ms: comment.updated_ms,
    line: null,
    in_reply_to: null,
    review_id: null,
    resolved_by: null,
  })
  insertItem(tx, repo.id, 'comment', id, ours)
  use(ours, comment.body)
  importReactions(tx, ours, reactionsOf(tx, context, comment.reactions))
  return null
}

type ReadyComment = { readonly comment: ForeignComment; readonly files: readonly ReadyFile[] }

async function prepareComment(
  context: StepContext,
  comment: ForeignComment,
): Promise<ReadyComment> {
  const isHere = findItem(context.hearth.db, context.repo.id, 'comment', comment.id) !== null
  return { comment, files: isHere ? [] : await prepareFiles(context, [comment.body]) }
}

export const commentsStep: ListStep<ForeignComment | Unreadable, ReadyComment | Unreadable> = {
  name: 'comments',
  read: (context, cursor) =>
    context.forge.comments === null
      ? readByRecord(context, null, cursor, (record) => context.forge.commentsOf(record))
      : context.forge.comments(cursor),
  prepare: async (context, item) =>
    isUnreadable(item) ? item : await prepareComment(context, item),
  place: (tx, context, item) =>
    isUnreadable(item) ? item.unreadable : placeComment(tx, context, item.comment, item.files),
}

type ReadyReview = {
  readonly review: ForeignReview
  readonly number: number
  readonly commit: Oid | null
  readonly commits: ReadonlyMap<string, Oid | null>
  /** Those of its text and of its comments. */
  readonly files: readonly ReadyFile[]
}
type NumberedReview = { readonly number: number; readonly review: ForeignReview }

async function prepareReview(
  context: StepContext,
  { number, review }: NumberedReview,
): Promise<ReadyReview> {
  const commits = new Map<string, Oid | null>()
  for (const { commit } of review.comments)
    if (commit !== null && !commits.has(commit))
      commits.set(commit, await presentCommit(context, commit))
  const { db } = context.hearth
  const isHere = findItem(db, context.repo.id, 'review', review.id) !== null
  const fresh = review.comments.filter(
    ({ id }) => findItem(db, context.repo.id, 'comment', id) === null,
  )
  const files = await prepareFiles(context, [
    ...(isHere ? [] : [review.body]),
    ...fresh.map(({ body }) => body),
  ])
  return { number, review, commit: await presentCommit(context, review.commit), commits, files }
}

/** A comment that has no place among the commits here quotes what it was written on. */
const quoted = ({ path, line, hunk, body }: ForeignLineComment): string => {
  const place = line === null ? path : `${path}:${line}`
  const lines = hunk.split('\n').slice(-12)
  const fence = '`'.repeat(4)
  return `\`${place.replaceAll('`', "'")}\`\n\n${hunk === '' ? '' : `${fence}diff\n${lines.join('\n')}\n${fence}\n\n`}${body}`
}

function placeLineComment(
  tx: Tx,
  context: StepContext,
  { number, commits }: ReadyReview,
  review_id: string | null,
  comment: ForeignLineComment,
  use: PlacedFiles['use'],
): void {
  const { repo, people, texts } = context
  if (findItem(tx.db, repo.id, 'comment', comment.id) !== null) return
  const commit_sha = comment.commit === null ? null : (commits.get(comment.commit) ?? null)
  const isPlaced = commit_sha !== null && comment.line !== null && comment.path !== ''
  const start = comment.start_line
  const in_reply_to =
    comment.in_reply_to === null ? null : findItem(tx.db, repo.id, 'comment', comment.in_reply_to)
  const ours = importComment(tx, {
    repo_id: repo.id,
    number,
    author_id: personId(tx, people, comment.author),
    body: rewriteText(isPlaced ? comment.body : quoted(comment), texts),
    created_ms: comment.created_ms,
    order: orderOf(comment.id),
    updated_ms: comment.updated_ms,
    line: isPlaced
      ? {
          path: comment.path.slice(0, 4096),
          line: comment.line,
          start_line: start !== null && start > 0 && start < comment.line ? start : null,
          side: comment.side,
          commit_sha,
          outdated: comment.outdated,
        }
      : null,
    in_reply_to: isPlaced ? in_reply_to : null,
    review_id,
    resolved_by: comment.resolved_by === null ? null : personId(tx, people, comment.resolved_by),
  })
  insertItem(tx, repo.id, 'comment', comment.id, ours)
  use(ours, comment.body)
  importReactions(tx, ours, reactionsOf(tx, context, comment.reactions))
}

/** A review of a pull request without commits becomes a comment. */
function placeReviewText(
  tx: Tx,
  { context, use }: PlacedFiles,
  { review, number }: ReadyReview,
): void {
  const { id, author, body, created_ms } = review
  if (body.trim() === '') return
  const comment: ForeignComment = {
    id: `review ${id}`,
    number,
    author,
    body,
    created_ms,
    updated_ms: created_ms,
    reactions: [],
  }
  placeComment(tx, context, comment, [])
  const ours = findItem(tx.db, context.repo.id, 'comment', comment.id)
  if (ours !== null) use(ours, body)
}

/** The review as a review, or null for line comments alone and for one without any commit. */
function placeReview(
  tx: Tx,
  { context, use }: PlacedFiles,
  ready: ReadyReview,
  pull: PullRow,
): string | null {
  const { repo, people, texts } = context
  const { review, commit } = ready
  const there = findItem(tx.db, repo.id, 'review', review.id)
  if (there !== null) return there
  const commit_sha = commit ?? pull.head_sha
  if (review.verdict === null) return null
  if (commit_sha === null) {
    placeReviewText(tx, { context, use }, ready)
    return null
  }
  const ours = importReview(tx, {
    pull_id: pull.id,
    author_id: personId(tx, people, review.author),
    verdict: review.verdict,
    body: rewriteText(review.body, texts),
    commit_sha,
    created_ms: review.created_ms,
    order: orderOf(review.id),
    dismissed: review.dismissed,
  })
  insertItem(tx, repo.id, 'review', review.id, ours)
  use(ours, review.body)
  return ours
}

/** Parts of a review that a transaction can hold; the first of them makes the review. */
function piecesOf(review: ForeignReview): ForeignReview[] {
  const { comments } = review
  const count = Math.max(1, Math.ceil(comments.length / COMMENTS_PER_PIECE))
  return Array.from({ length: count }, (_, at) => ({
    ...review,
    comments: comments.slice(at * COMMENTS_PER_PIECE, (at + 1) * COMMENTS_PER_PIECE),
  }))
}

export const reviewsStep: ListStep<NumberedReview | Unreadable, ReadyReview | Unreadable> = {
  name: 'reviews',
  batch: 5,
  read: (context, cursor) =>
    readByRecord<NumberedReview>(context, 'pull', cursor, async ({ number }) =>
      (await context.forge.reviewsOf(number))
        .flatMap(piecesOf)
        .map((review) => ({ number, review })),
    ),
  prepare: async (context, item) =>
    isUnreadable(item) ? item : await prepareReview(context, item),
  place: (tx, context, ready) => {
    if (isUnreadable(ready)) return ready.unreadable
    const pull = findPull(tx.db, context.repo.id, ready.number)
    if (!pull) return null
    const what = `#${ready.number}`
    const placed = placeFiles(tx, context, ready.files, { ...ready.review, what })
    const review_id = placeReview(tx, placed, ready, pull)
    for (const comment of ready.review.comments)
      placeLineComment(tx, placed.context, ready, review_id, comment, placed.use)
    return null
  },
}
