/**
 * Keeps the index as the forge is: works through the marks that changes left, and makes the index
 * from the beginning when its file is new. Words come first, because they are quick; the code of
 * repositories goes in turns, so that a push to a small one is found in seconds while a large one
 * is being taken in.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { DAY } from '#lib/time.ts'
import { repoById } from '#features/repos/index.ts'
import { searchIndex, type SearchIndex } from './search-index.ts'
import { hasMarks, listMarks, putMark, removeMarks, type Mark } from './store.ts'
import { dropTree, takeCode, type Taken } from './take-code.ts'
import { ThreadEnded } from './thread.ts'

const MARKS_AT_ONCE = 100
/** Of one repository, in milliseconds, before the next has its turn. */
const TURN_MS = 400
/** Repositories that are being taken in at once, in turns. */
const MOST_OPEN = 8
/** A branch besides the default one stays in the index so long after somebody asked for it. */
const KEPT_BRANCH_MS = 7 * DAY

type Work = { readonly mark: Mark; readonly steps: AsyncGenerator<Taken>; last: Taken | null }

/** Takes a repository that is gone out of the index. */
async function* takeOut(index: SearchIndex, repo_id: string): AsyncGenerator<Taken> {
  const none: Taken = { files: 0, bytes: 0 }
  await index.writer.call('putNames', [[repo_id]])
  while (await index.writer.call('removeTexts', [repo_id])) yield none
  for (const { id } of await index.writer.call('treesOf', [repo_id]))
    yield* dropTree(index, id, none)
}

async function* codeSteps(
  hearth: Hearth,
  index: SearchIndex,
  { repo_id }: Mark,
): AsyncGenerator<Taken> {
  const repo = repoById(hearth.db, repo_id)
  if (!repo || repo.purged_at !== null || repo.parent_id !== null) yield* takeOut(index, repo_id)
  else yield* takeCode(hearth, index, repo, '')
}

class Keeper {
  readonly #open = new Map<string, Work>()

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

  /** Takes in some of the records and names that are marked; gives whether there were any. */
  async #words(): Promise<boolean> {
    const records = listMarks(this.hearth.db, 'record', MARKS_AT_ONCE)
    const repos = listMarks(this.hearth.db, 'repo', MARKS_AT_ONCE)
    if (records.length + repos.length === 0) return false
    await this.index.writer.call('putTexts', [
      records.map(({ repo_id, number }) => ({ repo_id, number })),
    ])
    await this.index.writer.call('putNames', [repos.map(({ repo_id }) => repo_id)])
    await this.#remove([...records, ...repos])
    return true
  }

  /** One step of making the index anew; gives whether it was the last. */
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

  /** Gives each of the marked repositories a turn; gives whether there was any. */
  async #code(): Promise<boolean> {
    for (const mark of listMarks(this.hearth.db, 'code', MOST_OPEN)) {
      const open = this.#open.get(mark.repo_id)
      // Whoever pushes again while a repository is being taken in is served by what comes next,
      // from the root again.
      if (open || this.#open.size >= MOST_OPEN) continue
      this.#open.set(mark.repo_id, {
        mark,
        steps: codeSteps(this.hearth, this.index, mark),
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
      // What is quick does not wait for a round of what is slow.
      if (hasMarks(this.hearth.db)) await this.#words()
    }
    return true
  }

  /** Goes on with one repository for a while; gives whether it is done. */
  async #turn(work: Work): Promise<boolean> {
    const until = performance.now() + TURN_MS
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
      if (this.signal.aborted || error instanceof ThreadEnded) throw error
      // One that cannot be read must not keep the others out; the next push, or the sweep, tries
      // again.
      log.error('the search could not take in a repository', { repo: work.mark.repo_id, error })
      return true
    }
  }
}

/**
 * Works until nothing is marked. One at a time: another that starts meanwhile has nothing to do.
 */
export const keepIndex = job<null>({
  kind: 'keep_search',
  lane: 'search',
  retry: ['5s', '30s', '5m', '1h'],
  run: async ({ hearth, signal }) => {
    const index = searchIndex(hearth)
    if (index.working) return
    index.working = true
    try {
      await new Keeper(hearth, index, signal).run()
    } finally {
      index.working = false
    }
  },
})

const STALE_AT_ONCE = 500
const ORPHANS_AT_ONCE = 500

/**
 * Finds what no mark tells of: an index that is new or lost its last changes in a power cut,
 * repositories that are gone, branches that nobody asks for any more.
 */
export const sweepSearch = job<null>({
  kind: 'sweep_search',
  every: '10m',
  run: async ({ hearth, signal }) => {
    const index = searchIndex(hearth)
    const complete = await index.opened()
    for (const tree of await index.writer.call('listUnused', [
      hearth.clock.now() - KEPT_BRANCH_MS,
    ])) {
      for await (const _ of dropTree(index, tree, { files: 0, bytes: 0 }))
        if (signal.aborted) return
    }
    const lost = complete
      ? [
          ...(await index.writer.call('listStale', [STALE_AT_ONCE])),
          ...(await index.writer.call('listGone', [STALE_AT_ONCE])),
        ]
      : []
    if (!index.working)
      while ((await index.writer.call('dropOrphans', [ORPHANS_AT_ONCE])) === ORPHANS_AT_ONCE)
        if (signal.aborted) return
    if (lost.length === 0 && complete && !hasMarks(hearth.db)) return
    await writeAs(hearth, null, (tx) => {
      for (const repo_id of lost) putMark(tx, 'code', repo_id)
      tx.enqueue(keepIndex, null, { key: 'all' })
    })
  },
})
