/**
 * Reviews the dependencies of pull requests: when their head moves, and again when advisories were
 * imported. The result is a check named `dependencies` of the head, in repositories whose default
 * branch is compared with advisories.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Db } from '#core/db.ts'
import { reaction } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { findPull, listActive, pullOpened, pullUpdated } from '#features/pulls/index.ts'
import { requireRepo, type CommitContext } from '#features/repos/index.ts'
import type { Oid } from '#git'
import { dependenciesReviewed } from '../events.ts'
import { compareDependencies, rateChanges, ratingOf } from './compare-dependencies.ts'
import { dependencyRecords } from './dependency-records.ts'
import { readLockFiles } from './lock-files.ts'
import { hasAdvisories } from './store-advisories.ts'
import { scannedCommit } from './store-alerts.ts'
import {
  findDependencyReview,
  listDependencyReviews,
  listReviewedHeads,
  putDependencyReview,
  setRating,
  type StoredReview,
} from './store-reviews.ts'

/** A pull request with more has the others left out. */
const MAX_CHANGES = 1_000
const REVIEWS_PER_PAGE = 50
/** Pull requests of a repository that are reviewed after an import. */
const MAX_MISSING = 200

export const isCompared = (db: Db, repo_id: string): boolean =>
  hasAdvisories(db) && scannedCommit(db, repo_id) !== null

function announce(tx: Tx, { repo_id, number, head_sha, failing }: StoredReview): void {
  const { workspace_id } = requireRepo(tx.db, repo_id)
  tx.append(
    dependenciesReviewed,
    { workspace_id, repo_id },
    { pull: number, sha: head_sha, failing },
  )
}

export const reviewDependencies = job<{ repo_id: string; number: number }>({
  kind: 'review_dependencies',
  queue: 'security',
  run: async ({ hearth, signal }, { repo_id, number }) => {
    const pull = findPull(hearth.db, repo_id, number)
    if (pull === null || pull.head_sha === null || !isCompared(hearth.db, repo_id)) return
    const { head_sha } = pull
    const { store, workspace_id } = requireRepo(hearth.db, repo_id)
    const [base_sha] = await hearth.git.findMergeBases(store, pull.base_sha, head_sha)
    if (base_sha === undefined) return
    const read = async (commit: Oid) =>
      dependencyRecords(await readLockFiles(hearth, store, commit, signal))
    const all = compareDependencies(await read(base_sha), await read(head_sha))
    const changes = all.slice(0, MAX_CHANGES)
    const rating = ratingOf(await rateChanges(hearth.db, workspace_id, changes))
    const left_out = all.length - changes.length
    await writeAs(hearth, null, (tx) => {
      if (findPull(tx.db, repo_id, number)?.head_sha !== head_sha) return
      const review = { repo_id, number, head_sha, base_sha, changes, left_out, ...rating }
      putDependencyReview(tx, review)
      announce(tx, review)
    })
  },
})

/** Asks for reviews of pull requests whose head has none, the newest first. */
export async function requestMissingReviews(hearth: Hearth, repo_id: string): Promise<void> {
  if (!isCompared(hearth.db, repo_id)) return
  const missing = listActive(hearth.db, repo_id, MAX_MISSING).filter(
    ({ number, head_sha }) =>
      head_sha !== null && findDependencyReview(hearth.db, repo_id, number)?.head_sha !== head_sha,
  )
  if (missing.length === 0) return
  await writeAs(hearth, null, (tx) => {
    for (const { number } of missing) request(tx, repo_id, number)
  })
}

/** Rates the reviews of a repository again. */
export async function rateReviews(
  hearth: Hearth,
  repo_id: string,
  signal: AbortSignal,
): Promise<void> {
  const { workspace_id } = requireRepo(hearth.db, repo_id)
  for (let after = 0; ; ) {
    const page = listDependencyReviews(hearth.db, repo_id, after, REVIEWS_PER_PAGE)
    for (const review of page) {
      signal.throwIfAborted()
      const rating = ratingOf(await rateChanges(hearth.db, workspace_id, review.changes))
      if (isDeepStrictEqual(rating, { failing: review.failing, advisories: review.advisories }))
        continue
      await writeAs(hearth, null, (tx) => {
        setRating(tx, review, rating)
        announce(tx, { ...review, ...rating })
      })
    }
    if (page.length < REVIEWS_PER_PAGE) return
    after = page.at(-1)?.number ?? after
  }
}

/** The implementation of `commitContexts`. */
export function contextsOfReviews(
  db: Db,
  repo_id: string,
  shas: readonly Oid[],
): Map<Oid, CommitContext[]> {
  return new Map(
    listReviewedHeads(db, repo_id, shas).map(({ head_sha, failing }) => {
      const state = failing > 0 ? ('failure' as const) : ('success' as const)
      return [head_sha, [{ context: 'dependencies', state, trusted: state }]]
    }),
  )
}

const request = (tx: Tx, repo_id: string | null, number: number): void => {
  if (repo_id !== null && isCompared(tx.db, repo_id))
    tx.enqueue(reviewDependencies, { repo_id, number }, { key: `${repo_id} ${number}` })
}

export const reviewOpened = reaction(
  'dependencies of a new pull request are reviewed',
  pullOpened,
  (tx, { repo_id, data }) => request(tx, repo_id, data.number),
)

export const reviewPushed = reaction(
  'dependencies of a pull request are reviewed when its head moves',
  pullUpdated,
  (tx, { repo_id, data }) => {
    if (data.changed.includes('head') || data.changed.includes('base'))
      request(tx, repo_id, data.number)
  },
)
