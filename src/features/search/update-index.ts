/**
 * Updates the index: works through the marks that changes left, and builds the index when its file
 * is new. Words come first, because they are quick. The code of repositories is indexed in turns,
 * so a push to a small repository is searchable in seconds while a large one is being indexed.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY } from '#lib/time.ts'
import { repoById } from '#features/repos/index.ts'
import { searchIndex, type SearchIndex } from './search-index.ts'
import { hasMarks, listMarks, putMark, removeMarks, type Mark } from './store-marks.ts'
import { removeTreeInSteps, indexCode, type IndexedTotals } from './index-code.ts'
import { WIKI_REF } from './wiki-ref.ts'
import { WorkerFailure } from '#lib/threads/worker-requests.ts'

const MARKS_PER_BATCH = 100
/** Time for one repository before the next one gets its turn. */
const REPO_TURN_MS = 400
/** Repositories that are indexed concurrently, in turns. */
const MAX_OPEN_REPOS = 8
/** How long a branch other than the default branch stays indexed after the last search. */
const UNUSED_BRANCH_MS = 7 * DAY

type RepoWork = {
  readonly mark: Mark
  readonly steps: AsyncGenerator<IndexedTotals>
  last: IndexedTotals | null
}

/** Removes a purged repository from the index. */
async function* removeRepoInSteps(
  index: SearchIndex,
  repo_id: string,
): AsyncGenerator<IndexedTotals> {
  const none: IndexedTotals = { files: 0, bytes: 0 }
  await index.writer.call('putNames', [[repo_id]])
  while (await index.writer.call('removeTexts', [repo_id])) yield none
  for (const { id } of await index.writer.call('listTreesOf', [repo_id]))
    yield* removeTreeInSteps(index, id, none)
}

async function* indexRepoInSteps(
  hearth: Hearth,
  index: SearchIndex,
  { repo_id }: Mark,
): AsyncGenerator<IndexedTotals> {
  const repo = repoById(hearth.db, repo_id)
  if (!repo || repo.purged_at !== null || repo.parent_id !== null)
    yield* removeRepoInSteps(index, repo_id)
  else {
    yield* indexCode(hearth, index, repo, '')
    yield* indexCode(hearth, index, repo, WIKI_REF)
  }
}

class IndexUpdater {
  readonly #open = new Map<string, RepoWork>()

  constructor(
    private readonly hearth: Hearth,
    private readonly index: SearchIndex,
    private readonly signal: AbortSignal,
  ) {}

  async run(): Promise<void> {
    let complete = await this.index.opened()
    while (!this.signal.aborted) {
      let worked = await this.#words()
      if (!complete && !worked) {
        complete = await this.#rebuild()
        worked = true
      }
      if (await this.#code()) worked = true
      if (!worked) return
    }
  }

  #remove(marks: readonly Mark[]): Promise<void> {
    return writeAs(this.hearth, null, (tx) => removeMarks(tx, marks))
  }

  /** Indexes some of the marked records and names. Returns whether there were any. */
  async #words(): Promise<boolean> {
    const records = listMarks(this.hearth.db, 'record', MARKS_PER_BATCH)
    const repos = listMarks(this.hearth.db, 'repo', MARKS_PER_BATCH)
    if (records.length + repos.length === 0) return false
    await this.index.writer.call('putTexts', [
      records.map(({ repo_id, number }) => ({ repo_id, number })),
    ])
    await this.index.writer.call('putNames', [repos.map(({ repo_id }) => repo_id)])
    await this.#remove([...records, ...repos])
    return true
  }

  /** Runs one step of the initial build. Returns whether it was the last one. */
  async #rebuild(): Promise<boolean> {
    const step = await this.index.writer.call('rebuildStep', [])
    if (step === null) {
      this.index.becameComplete()
      this.hearth.log.info('the search has taken in everything')
      return true
    }
    if (step.repos.length > 0) {
      await writeAs(this.hearth, null, (tx) => {
        for (const repo_id of step.repos) putMark(tx, 'code', repo_id)
      })
    }
    return false
  }

  /** Gives each marked repository one turn. Returns whether there was any. */
  async #code(): Promise<boolean> {
    for (const mark of listMarks(this.hearth.db, 'code', MAX_OPEN_REPOS)) {
      const open = this.#open.get(mark.repo_id)
      // A push to a repository that is being indexed leaves its mark, so the repository is indexed
      // again from the root.
      if (open || this.#open.size >= MAX_OPEN_REPOS) continue
      this.#open.set(mark.repo_id, {
        mark,
        steps: indexRepoInSteps(this.hearth, this.index, mark),
        last: null,
      })
    }
    if (this.#open.size === 0) return false
    for (const [repo_id, work] of this.#open) {
      if (this.signal.aborted) break
      if (await this.#turn(work)) {
        this.#open.delete(repo_id)
        await this.#remove([work.mark])
      }
      // Words are indexed between turns, because they are quick.
      if (hasMarks(this.hearth.db)) await this.#words()
    }
    return true
  }

  /** Indexes one repository for one turn. Returns whether it is complete. */
  async #turn(work: RepoWork): Promise<boolean> {
    const until = performance.now() + REPO_TURN_MS
    const { log } = this.hearth
    try {
      do {
        const { done, value } = await work.steps.next()
        if (done) {
          if (work.last && work.last.files > 1_000)
            log.info('the search has taken in a repository', {
              repo: work.mark.repo_id,
              ...work.last,
            })
          return true
        }
        work.last = value
      } while (performance.now() < until && !this.signal.aborted)
      if (work.last && work.last.files > 0)
        log.info('the search takes in a repository', { repo: work.mark.repo_id, ...work.last })
      return false
    } catch (error) {
      if (this.signal.aborted || error instanceof WorkerFailure) throw error
      // An unreadable repository must not block the others. The next push or the sweep tries again.
      log.error('the search could not take in a repository', { repo: work.mark.repo_id, error })
      return true
    }
  }
}

/** Runs until no marks remain. Only one run is active; a second one returns at once. */
export const updateIndex = job<null>({
  kind: 'keep_search',
  queue: 'search',
  retry: ['5s', '30s', '5m', '1h'],
  run: async ({ hearth, signal }) => {
    const index = searchIndex(hearth)
    if (index.working) return
    index.working = true
    try {
      await new IndexUpdater(hearth, index, signal).run()
    } finally {
      index.working = false
    }
  },
})

const STALE_REPOS_PER_SWEEP = 500
const ORPHANS_PER_BATCH = 500

/**
 * Finds changes without marks: a new index, an index that lost its last changes in a power failure,
 * removed repositories, and branches that nobody searches any more.
 */
export const sweepSearch = job<null>({
  kind: 'sweep_search',
  every: '10m',
  run: async ({ hearth, signal }) => {
    const index = searchIndex(hearth)
    const complete = await index.opened()
    for (const tree of await index.writer.call('listUnusedTrees', [
      hearth.clock.now() - UNUSED_BRANCH_MS,
    ])) {
      for await (const _ of removeTreeInSteps(index, tree, { files: 0, bytes: 0 }))
        if (signal.aborted) return
    }
    const lost = complete
      ? [
          ...(await index.writer.call('listStaleRepos', [STALE_REPOS_PER_SWEEP])),
          ...(await index.writer.call('listRemovedRepos', [STALE_REPOS_PER_SWEEP])),
        ]
      : []
    if (!index.working)
      while (
        (await index.writer.call('removeOrphanBlobs', [ORPHANS_PER_BATCH])) === ORPHANS_PER_BATCH
      )
        if (signal.aborted) return
    if (lost.length === 0 && complete && !hasMarks(hearth.db)) return
    await writeAs(hearth, null, (tx) => {
      for (const repo_id of lost) putMark(tx, 'code', repo_id)
      tx.enqueue(updateIndex, null, { key: 'all' })
    })
  },
})
