/**
 * Where answers about pull requests hold words of people without write (see the room of issues).
 */
import {
  commentPlaces,
  distrust,
  inList,
  inRecord,
  issuePlaces,
  places,
  type Reading,
} from '#features/issues/index.ts'
import type { CommitRecord } from '#features/repos/schema.ts'
import type { Static } from '#core/schema.ts'
import { actorOf } from '#features/accounts/index.ts'
import type {
  ChecksAndStatuses,
  NewPull,
  Pull,
  PullChanges,
  PullDetail,
  Review,
  SessionEntry,
} from './schema.ts'
import { findPull } from './store.ts'

type OnPull = { readonly number: number }
type In = Reading & { readonly repo: { readonly id: string } }

const pullPlaces = (at: string, pull: Pull): string[] => places(at, pull, 'title', 'body', 'agent')
const reviewPlaces = (at: string, review: Review): string[] => places(at, review, 'body')
const entryPlaces = (at: string, entry: SessionEntry): string[] => [
  ...places(at, entry, 'text', 'tool'),
  ...(entry.data === null ? [] : [`${at}/data`]),
]

export const inPull = inRecord(pullPlaces)
export const inPulls = inList(pullPlaces)
export const inReview = inRecord(reviewPlaces)
export const inReviews = inList(reviewPlaces)

/**
 * What another party asks is data, also when that party may write: whoever is asked decides what to
 * do about it.
 */
const isFromOutside = ({ kind, data }: SessionEntry): boolean =>
  kind === 'question' && typeof data?.['question'] === 'string'

export function inSession(
  { items }: { items: readonly SessionEntry[] },
  reading: Reading,
): string[] {
  const distrusted = distrust(reading)
  return items.flatMap((entry, index) =>
    isFromOutside(entry) || distrusted(entry.author) ? entryPlaces(`/items/${index}`, entry) : [],
  )
}

export const inNewPull = ({ pull }: NewPull, reading: Reading): string[] =>
  distrust(reading)(pull.author) ? pullPlaces('/pull', pull) : []

export function inPullDetail(detail: PullDetail, reading: Reading): string[] {
  const distrusted = distrust(reading)
  const { pull, issue, comments, reviews, overlaps, checks } = detail
  return [
    ...(distrusted(pull.author) ? [...pullPlaces('', pull), ...pullPlaces('/pull', pull)] : []),
    ...(issue && distrusted(issue.author) ? issuePlaces('/issue', issue) : []),
    ...comments.flatMap((comment, index) =>
      distrusted(comment.author) ? commentPlaces(`/comments/${index}`, comment) : [],
    ),
    ...reviews.flatMap((review, index) =>
      distrusted(review.author) ? reviewPlaces(`/reviews/${index}`, review) : [],
    ),
    ...inChecks(checks).map((place) => `/checks${place}`),
    ...overlaps.flatMap((overlap, index) =>
      distrusted(overlap.author) ? places(`/overlaps/${index}`, overlap, 'title', 'agent') : [],
    ),
  ]
}

/** Whether the author of a pull request, and so of its commits, is distrusted. */
function isDistrusted(reading: In, { number }: OnPull): boolean {
  const pull = findPull(reading.hearth.db, reading.repo.id, number)
  return pull !== null && distrust(reading)(actorOf(reading.hearth, pull.author_id))
}

/**
 * What the change runs prints what its author likes, and commands are words of whoever wrote the
 * issue.
 */
export const inChecks = ({ results }: Pick<ChecksAndStatuses, 'results'>): string[] =>
  results.flatMap(({ output_tail }, index) => [
    `/results/${index}/command`,
    ...(output_tail === '' ? [] : [`/results/${index}/output_tail`]),
  ])

/** Lines of files are words too. */
export const inChanges = ({ files }: PullChanges, reading: In, on: OnPull): string[] =>
  isDistrusted(reading, on)
    ? files.flatMap((file, index) => [
        ...places(`/files/${index}`, file, 'patch'),
        ...(file.hunks.length > 0 ? [`/files/${index}/hunks`] : []),
      ])
    : []

export const inCommits = (
  { items }: { items: readonly Static<typeof CommitRecord>[] },
  reading: In,
  on: OnPull,
): string[] =>
  isDistrusted(reading, on)
    ? items.flatMap((commit, index) => places(`/items/${index}`, commit, 'message', 'title'))
    : []
