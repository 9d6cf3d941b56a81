/** Finds files by letters of their path, as the file finder of the site does. */
import type { Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { withoutDeadline } from '#core/principal.ts'
import { cache, service } from '#core/service.ts'
import { nextTurn } from '#lib/waiting.ts'
import { InFlight } from '../blame/in-flight.ts'
import { refuseBadInput } from '../refs/resolve-commit.ts'

/** Only so many paths of a tree are listed; those of its files are searched. */
const MAX_PATHS = 100_000
const MAX_CACHED_BYTES = 32 * 1024 * 1024
/** Other events are let through after so many paths, which take about 2 ms. */
export const PATHS_PER_TURN = 10_000

/** The paths of the files of one commit, in the order of its tree. */
type PathList = { readonly paths: readonly string[]; readonly complete: boolean }

const pathLists = cache<PathList>('paths', {
  maxSize: MAX_CACHED_BYTES,
  sizeOf: ({ paths }) => paths.reduce((sum, path) => sum + path.length + 32, 64),
})
const listings = service('path listings', () => new InFlight<PathList | null>())

async function readPaths(hearth: Hearth, store: string, commit: Oid): Promise<PathList | null> {
  // Trees with too many entries to list are refused.
  const entries = await refuseBadInput('ref', () =>
    hearth.git.listTree(store, commit, '', { recursive: true, limit: MAX_PATHS + 1 }),
  )
  if (entries === null) return null
  const list = {
    paths: entries
      .slice(0, MAX_PATHS)
      .filter(({ type }) => type !== 'dir')
      .map(({ path }) => path),
    complete: entries.length <= MAX_PATHS,
  }
  pathLists(hearth).set(`${store} ${commit}`, list)
  return list
}

/** The paths of a commit; null when it is gone. Simultaneous searches share one listing. */
export const pathsOf = (hearth: Hearth, store: string, commit: Oid): Promise<PathList | null> => {
  const key = `${store} ${commit}`
  const cached = pathLists(hearth).get(key)
  return cached === undefined
    ? listings(hearth).run(key, () => withoutDeadline(() => readPaths(hearth, store, commit)))
    : Promise.resolve(cached)
}

/**
 * How well a path in lower case fits the letters, 0 best; null when it does not. The name counts
 * more than its folders, and whole words more than scattered letters. Takes linear time.
 */
export function rankPath(path: string, letters: string): number | null {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (name === letters) return 0
  if (name.startsWith(letters)) return 1
  if (name.includes(letters)) return 2
  if (path.includes(letters)) return 3
  let at = -1
  for (const letter of letters) {
    at = path.indexOf(letter, at + 1)
    if (at === -1) return null
  }
  return 4
}

type Found = { readonly path: string; readonly rank: number }

const compareFound = (a: Found, b: Found): number =>
  a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1)

/**
 * The files of a commit whose paths contain these letters in this order, the best first; the first
 * files for no letters. `complete` is false when the tree has more files than are searched.
 */
export async function searchPaths(
  hearth: Hearth,
  place: { readonly store: string; readonly commit: Oid },
  query: string,
  limit: number,
): Promise<{ paths: string[]; complete: boolean }> {
  const list = await pathsOf(hearth, place.store, place.commit)
  if (list === null) return { paths: [], complete: true }
  const letters = query.toLowerCase().replace(/\s+/g, '')
  if (letters === '') return { paths: list.paths.slice(0, limit), complete: list.complete }
  const best: Found[] = []
  for (const [index, path] of list.paths.entries()) {
    if (index % PATHS_PER_TURN === PATHS_PER_TURN - 1) await nextTurn()
    const rank = rankPath(path.toLowerCase(), letters)
    const last = best.at(-1)
    if (rank === null) continue
    const found = { path, rank }
    if (best.length >= limit && last !== undefined && compareFound(found, last) >= 0) continue
    const after = best.findIndex((other) => compareFound(found, other) < 0)
    best.splice(after === -1 ? best.length : after, 0, found)
    if (best.length > limit) best.pop()
  }
  return { paths: best.map(({ path }) => path), complete: list.complete }
}
