/**
 * Which commit last changed each entry of a folder, kept in memory and on disk. Finding it means
 * walking back until every entry has been seen to change, which takes a while at the top of a large
 * repository, so nobody waits for it: who asks too early gets null, and the answer for the next one
 * is on its way. From an answer for an earlier commit a later one is made by walking what lies
 * between.
 */
import type { KnownLastCommits, Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { withoutDeadline } from '#core/work.ts'
import { createCache } from '#lib/cache.ts'
import { inTime } from '#lib/waiting.ts'
import { creditor, type Credit } from './credit.ts'
import { keptHistory } from './store-history.ts'

export type LastCommits = ReadonlyMap<string, Credit>

/** On disk: each commit once, and for each name the place of its commit. */
type Stored = {
  readonly commits: readonly Credit[]
  readonly names: readonly (readonly [name: string, place: number])[]
}

const sizeOf = (found: LastCommits): number => found.size * 300 + 200

/** By store, commit and folder. */
const kept = createCache<LastCommits>({ maxSize: 64 * 1024 * 1024, sizeOf })
const underWay = new Map<string, Promise<LastCommits>>()

function toStored(found: LastCommits): Stored {
  const places = new Map<Oid, number>()
  const commits: Credit[] = []
  const names = [...found].map(([name, credit]): [string, number] => {
    let place = places.get(credit.oid)
    if (place === undefined) places.set(credit.oid, (place = commits.push(credit) - 1))
    return [name, place]
  })
  return { commits, names }
}

const fromStored = ({ commits, names }: Stored): LastCommits =>
  new Map(
    names.flatMap(([name, place]): [string, Credit][] => {
      const credit = commits[place]
      return credit ? [[name, credit]] : []
    }),
  )

const asKnown = (commit: Oid, { commits, names }: Stored): KnownLastCommits => ({
  commit,
  entries: names.map(([name, place]) => ({ name, oid: commits[place]?.oid ?? '' })),
})

async function find(
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
): Promise<LastCommits> {
  const disk = keptHistory(hearth)
  const others = disk
    .listOthers('folder', store, path)
    .map(({ commit: other, value }) => asKnown(other, value as Stored))
  const credit = creditor()
  const found = new Map(
    (await hearth.git.lastCommits(store, commit, path, others)).map(({ name, commit: last }) => [
      name,
      credit(last),
    ]),
  )
  // Nothing is kept of a folder that is not there: anybody may ask for any.
  if (found.size > 0) disk.put('folder', store, path, commit, toStored(found))
  return found
}

/** What is known of a folder already. */
function known(hearth: Hearth, store: string, commit: Oid, path: string): LastCommits | null {
  const key = [store, commit, path].join(' ')
  const inMemory = kept.get(key)
  if (inMemory) return inMemory
  const stored = keptHistory(hearth).find('folder', store, path, commit) as Stored | null
  if (stored === null) return null
  const found = fromStored(stored)
  kept.set(key, found)
  return found
}

/** The last commits of a folder's entries by name. */
export function findLastCommits(
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
): Promise<LastCommits> {
  const found = known(hearth, store, commit, path)
  if (found) return Promise.resolve(found)
  const key = [store, commit, path].join(' ')
  let finding = underWay.get(key)
  if (!finding) {
    finding = withoutDeadline(() => find(hearth, store, commit, path))
      .then((made) => {
        kept.set(key, made)
        return made
      })
      .finally(() => underWay.delete(key))
    // Whoever waits hears of a failure; when nobody does any more, the next one asks again.
    finding.catch(() => {})
    underWay.set(key, finding)
  }
  return finding
}

/** The same; null when finding them takes longer than `patience` milliseconds. */
export async function lastCommitsOf(
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
  patience: number,
): Promise<LastCommits | null> {
  return (
    known(hearth, store, commit, path) ??
    (await inTime(findLastCommits(hearth, store, commit, path), patience, () => null))
  )
}
