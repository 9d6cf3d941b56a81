/**
 * Blame, kept in memory and on disk: it depends on nothing but the last commit that changed the
 * file, so a push elsewhere costs no new one, and after a change only the commits since the last
 * answer are looked at.
 */
import type { BlameRange, KnownBlame, Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { withoutDeadline } from '#core/work.ts'
import { createCache } from '#lib/cache.ts'
import { inTime } from '#lib/waiting.ts'
import { creditor, type Credit } from './credit.ts'
import { keptHistory } from './store-history.ts'

/** Lines of one commit that stand together; `path` is what the file was called there. */
export type BlamedLines = {
  readonly from_line: number
  readonly to_line: number
  readonly commit: Credit
  readonly path: string
}

type Range = { readonly from: number; readonly to: number }

/** On disk: each commit and each path once; lines in order, each run from the one before it on. */
type Stored = {
  readonly commits: readonly Credit[]
  readonly paths: readonly string[]
  readonly runs: readonly (readonly [to_line: number, commit: number, path: number])[]
}

const kept = createCache<readonly BlamedLines[]>({
  maxSize: 64 * 1024 * 1024,
  // Runs share their commits' values.
  sizeOf: (lines) => lines.length * 100 + new Set(lines.map(({ commit }) => commit)).size * 400,
})
/** The last commit that changed a file, by store, commit and path. */
const changes = createCache<Oid>({ maxSize: 20_000, sizeOf: () => 1 })
const underWay = new Map<string, Promise<readonly BlamedLines[]>>()

function toStored(lines: readonly BlamedLines[]): Stored {
  const commits: Credit[] = []
  const paths: string[] = []
  const places = new Map<Credit | string, number>()
  const place = <T extends Credit | string>(list: T[], one: T): number => {
    let at = places.get(one)
    if (at === undefined) places.set(one, (at = list.push(one) - 1))
    return at
  }
  return {
    runs: lines.map(({ to_line, commit, path }) => [
      to_line,
      place(commits, commit),
      place(paths, path),
    ]),
    commits,
    paths,
  }
}

function fromStored({ commits, paths, runs }: Stored): BlamedLines[] {
  let from_line = 1
  return runs.flatMap(([to_line, at, path]) => {
    const commit = commits[at]
    const run = commit && { from_line, to_line, commit, path: paths[path] ?? '' }
    from_line = to_line + 1
    return run ? [run] : []
  })
}

function asKnown(commit: Oid, path: string, stored: Stored): KnownBlame {
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

const cut = (lines: readonly BlamedLines[], range: Range | undefined): readonly BlamedLines[] =>
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

/** The last commit that changed a file: what is known of that one holds until the next. */
async function changeOf({ git }: Hearth, store: string, commit: Oid, path: string): Promise<Oid> {
  const key = [store, commit, path].join(' ')
  const known = changes.get(key)
  if (known !== undefined) return known
  const [last] = await git.log(store, { tips: [commit], path, limit: 1 })
  const oid = last?.oid ?? commit
  changes.set(key, oid)
  return oid
}

async function find(
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
  range: Range | undefined,
): Promise<readonly BlamedLines[]> {
  const disk = keptHistory(hearth)
  const others = disk
    .listOthers('blame', store, path)
    .map(({ commit: other, value }) => asKnown(other, path, value as Stored))
  const credit = creditor()
  const lines = (await hearth.git.blame(store, commit, path, range, others)).map(
    (one: BlameRange): BlamedLines => ({ ...one, commit: credit(one.commit) }),
  )
  if (range === undefined) disk.put('blame', store, path, commit, toStored(lines))
  return lines
}

/** As `git.blame`, which says what errors there are. */
export async function blameOf(
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
  range?: Range,
): Promise<readonly BlamedLines[]> {
  const from = await changeOf(hearth, store, commit, path)
  const whole = [store, from, path].join(' ')
  const known = kept.get(whole)
  if (known) return cut(known, range)
  const stored = keptHistory(hearth).find('blame', store, path, from) as Stored | null
  if (stored !== null) {
    const lines = fromStored(stored)
    kept.set(whole, lines)
    return cut(lines, range)
  }
  const key =
    range === undefined ? whole : [store, from, `${range.from}-${range.to}`, path].join(' ')
  const part = kept.get(key)
  if (part) return part
  let finding = underWay.get(key)
  if (!finding) {
    finding = withoutDeadline(() => find(hearth, store, from, path, range))
      .then((lines) => {
        kept.set(key, lines)
        return lines
      })
      .finally(() => underWay.delete(key))
    finding.catch(() => {})
    underWay.set(key, finding)
  }
  return await finding
}

/** The same; null when it takes longer than `patience` milliseconds. */
export const blameWithin = (
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
  range: Range | undefined,
  patience: number,
): Promise<readonly BlamedLines[] | null> =>
  inTime(blameOf(hearth, store, commit, path, range), patience, () => null)
