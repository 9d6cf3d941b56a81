/**
 * Blame, cached in memory and on disk. The blame of a file depends only on the last commit that
 * changed it, so pushes to other files keep it valid. After a change, only the commits since the
 * last result are read.
 */
import type { BlameRange, CachedBlame, Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { withoutDeadline } from '#core/principal.ts'
import { cache, service } from '#core/service.ts'
import { SMALL_ENTRY_BYTES } from '#lib/cache.ts'
import { withTimeout } from '#lib/waiting.ts'
import { commitSummarizer, type CommitSummary } from './commit-summary.ts'
import { InFlight } from './in-flight.ts'
import { historyCache } from '../store/history-cache.ts'

/** Consecutive lines that come from one commit. `path` is the name of the file in that commit. */
export type BlamedLines = {
  readonly from_line: number
  readonly to_line: number
  readonly commit: CommitSummary
  readonly path: string
}

type LineRange = { readonly from: number; readonly to: number }

/**
 * The form on disk. Each commit and each path is stored once; a run starts after the run before it.
 */
type StoredBlame = {
  readonly commits: readonly CommitSummary[]
  readonly paths: readonly string[]
  readonly runs: readonly (readonly [to_line: number, commit: number, path: number])[]
}

const blameCache = cache<readonly BlamedLines[]>('blame', {
  maxSize: 64 * 1024 * 1024,
  // Runs of one commit share its summary, so each commit counts once.
  sizeOf: (lines) => lines.length * 100 + new Set(lines.map(({ commit }) => commit)).size * 400,
})

/** The last commit that changed a file, by store, commit and path. */
const lastChangeCache = cache<Oid>('last_file_changes', {
  maxSize: 20_000 * SMALL_ENTRY_BYTES,
  sizeOf: () => SMALL_ENTRY_BYTES,
})

const runningBlames = service('running blames', () => new InFlight<readonly BlamedLines[]>())

function toStored(lines: readonly BlamedLines[]): StoredBlame {
  const commits: CommitSummary[] = []
  const paths: string[] = []
  const indexes = new Map<CommitSummary | string, number>()
  const indexIn = <T extends CommitSummary | string>(list: T[], one: T): number => {
    let index = indexes.get(one)
    if (index === undefined) indexes.set(one, (index = list.push(one) - 1))
    return index
  }
  return {
    runs: lines.map(({ to_line, commit, path }) => [
      to_line,
      indexIn(commits, commit),
      indexIn(paths, path),
    ]),
    commits,
    paths,
  }
}

function fromStored({ commits, paths, runs }: StoredBlame): BlamedLines[] {
  let from_line = 1
  return runs.flatMap(([to_line, at, path]) => {
    const commit = commits[at]
    const run = commit && { from_line, to_line, commit, path: paths[path] ?? '' }
    from_line = to_line + 1
    return run ? [run] : []
  })
}

function toKnownBlame(commit: Oid, path: string, stored: StoredBlame): CachedBlame {
  return {
    commit,
    path,
    ranges: fromStored(stored).map(({ from_line, to_line, commit: { oid }, path: name }) => ({
      from_line,
      to_line,
      oid,
      path: name,
    })),
  }
}

const sliceRange = (
  lines: readonly BlamedLines[],
  range: LineRange | undefined,
): readonly BlamedLines[] =>
  range === undefined
    ? lines
    : lines.flatMap((one) =>
        one.to_line < range.from || one.from_line > range.to
          ? []
          : [
              {
                ...one,
                from_line: Math.max(one.from_line, range.from),
                to_line: Math.min(one.to_line, range.to),
              },
            ],
      )

/**
 * Returns the last commit that changed a file. Blame at that commit is valid until the next change.
 */
async function findLastChange(
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
): Promise<Oid> {
  const key = [store, commit, path].join(' ')
  const cached = lastChangeCache(hearth).get(key)
  if (cached !== undefined) return cached
  const [last] = await hearth.git.log(store, { tips: [commit], path, limit: 1 })
  const oid = last?.oid ?? commit
  lastChangeCache(hearth).set(key, oid)
  return oid
}

async function computeBlame(
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
  range: LineRange | undefined,
): Promise<readonly BlamedLines[]> {
  const stored = historyCache(hearth)
  const earlier = stored
    .listOthers('blame', store, path)
    .map(({ commit: other, value }) => toKnownBlame(other, path, value as StoredBlame))
  const summarize = commitSummarizer()
  const lines = (await hearth.git.blame(store, commit, path, range, earlier)).map(
    (one: BlameRange): BlamedLines => ({ ...one, commit: summarize(one.commit) }),
  )
  if (range === undefined) stored.put('blame', store, path, commit, toStored(lines))
  return lines
}

/** Returns who last changed the lines of a file. Throws the errors of `git.blame`. */
export async function blameFile(
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
  range?: LineRange,
): Promise<readonly BlamedLines[]> {
  const from = await findLastChange(hearth, store, commit, path)
  const whole = [store, from, path].join(' ')
  const cache = blameCache(hearth)
  const cached = cache.get(whole)
  if (cached) return sliceRange(cached, range)
  const stored = historyCache(hearth).find('blame', store, path, from) as StoredBlame | null
  if (stored !== null) {
    const lines = fromStored(stored)
    cache.set(whole, lines)
    return sliceRange(lines, range)
  }
  const key =
    range === undefined ? whole : [store, from, `${range.from}-${range.to}`, path].join(' ')
  const cachedPart = cache.get(key)
  if (cachedPart) return cachedPart
  return await runningBlames(hearth).run(key, async () => {
    const lines = await withoutDeadline(() => computeBlame(hearth, store, from, path, range))
    cache.set(key, lines)
    return lines
  })
}

/** Like `blameFile`, but returns null after `timeoutMs`. The computation continues. */
export const blameFileWithin = (
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
  range: LineRange | undefined,
  timeoutMs: number,
): Promise<readonly BlamedLines[] | null> =>
  withTimeout(blameFile(hearth, store, commit, path, range), timeoutMs, () => null)
