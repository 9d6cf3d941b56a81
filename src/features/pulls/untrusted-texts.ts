/**
 * JSON pointers to texts of people without write in responses about pull requests (see
 * `untrusted-texts.ts` of issues).
 */
import {
  commentPointers,
  inItems,
  untrustedAuthors,
  inList,
  inRecord,
  issuePointers,
  textPointers,
  type UntrustedScope,
} from '#features/issues/index.ts'
import type { CommitRecord } from '#features/repos/schema.ts'
import type { Static } from '#core/schema.ts'
import { actorOf } from '#features/accounts/index.ts'
import type {
  ChecksAndStatuses,
  NewPull,
  Pull,
  PullChanges,
  PullConflicts,
  PullDetail,
  PullOverview,
  Review,
  SessionEntry,
} from './schema.ts'
import { findPull } from './store-pulls.ts'

type NumberInput = { readonly number: number }
type PullScope = UntrustedScope & { readonly repo: { readonly id: string } }

const pullPointers = (at: string, pull: Pull): string[] =>
  textPointers(at, pull, 'title', 'body', 'agent')
const reviewPointers = (at: string, review: Review): string[] => textPointers(at, review, 'body')
const entryPointers = (at: string, entry: SessionEntry): string[] => [
  ...textPointers(at, entry, 'text', 'tool'),
  ...(entry.data === null ? [] : [`${at}/data`]),
]

export const inPull = inRecord(pullPointers)
export const inPulls = inList(pullPointers)
export const inReview = inRecord(reviewPointers)
export const inReviews = inList(reviewPointers)

/**
 * An entry from outside is data even if its author may write: the reader decides what to do about
 * it.
 */
const isFromOutside = ({ kind, data }: SessionEntry): boolean =>
  kind === 'question' && typeof data?.question === 'string'

export function inSession(
  { items }: { items: readonly SessionEntry[] },
  reading: UntrustedScope,
): string[] {
  const distrusted = untrustedAuthors(reading)
  return items.flatMap((entry, index) =>
    isFromOutside(entry) || distrusted(entry.author) ? entryPointers(`/items/${index}`, entry) : [],
  )
}

export const inNewPull = ({ pull }: NewPull, reading: UntrustedScope): string[] =>
  untrustedAuthors(reading)(pull.author) ? pullPointers('/pull', pull) : []

/** Pointers for the detail of a pull request, with or without comments. */
export function inPullDetail(
  detail: PullOverview & Partial<Pick<PullDetail, 'comments'>>,
  reading: UntrustedScope,
): string[] {
  const distrusted = untrustedAuthors(reading)
  const { pull, issue, comments = [], reviews, overlaps, checks } = detail
  return [
    ...(distrusted(pull.author) ? [...pullPointers('', pull), ...pullPointers('/pull', pull)] : []),
    ...(issue && distrusted(issue.author) ? issuePointers('/issue', issue) : []),
    ...inItems('/comments', comments, distrusted, commentPointers),
    ...inItems('/reviews', reviews, distrusted, reviewPointers),
    ...inChecks(checks).map((place) => `/checks${place}`),
    ...overlaps.flatMap((overlap, index) =>
      distrusted(overlap.author)
        ? textPointers(`/overlaps/${index}`, overlap, 'title', 'agent')
        : [],
    ),
  ]
}

/** Whether the author of a pull request, and so of its commits, is distrusted. */
function isUntrusted(reading: PullScope, { number }: NumberInput): boolean {
  const pull = findPull(reading.hearth.db, reading.repo.id, number)
  return pull !== null && untrustedAuthors(reading)(actorOf(reading.hearth, pull.author_id))
}

/**
 * Command output is controlled by the author of the change, and commands by the author of the
 * issue.
 */
export const inChecks = ({ results }: Pick<ChecksAndStatuses, 'results'>): string[] =>
  results.flatMap(({ output_tail }, index) => [
    `/results/${index}/command`,
    ...(output_tail === '' ? [] : [`/results/${index}/output_tail`]),
  ])

/** Lines of files are text of their author. */
export const inChanges = ({ files }: PullChanges, reading: PullScope, on: NumberInput): string[] =>
  isUntrusted(reading, on)
    ? files.flatMap((file, index) => [
        ...textPointers(`/files/${index}`, file, 'patch'),
        ...(file.hunks.length > 0 ? [`/files/${index}/hunks`] : []),
      ])
    : []

/** The same lines beside those of the base. */
export const inConflicts = (
  { files }: PullConflicts,
  reading: PullScope,
  on: NumberInput,
): string[] =>
  isUntrusted(reading, on)
    ? files.flatMap(({ parts }, index) => [
        `/files/${index}/path`,
        ...(parts === null ? [] : [`/files/${index}/parts`]),
      ])
    : []

export const inCommits = (
  { items }: { items: readonly Static<typeof CommitRecord>[] },
  reading: PullScope,
  on: NumberInput,
): string[] =>
  isUntrusted(reading, on)
    ? items.flatMap((commit, index) => textPointers(`/items/${index}`, commit, 'message', 'title'))
    : []
