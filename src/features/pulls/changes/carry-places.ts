/** Follows lines of earlier commits to a later one: of comments, annotations and alerts. */
import type { Hearth } from '#core/hearth.ts'
import type { FileDiff, Oid } from '#git'
import { carryLines } from '../branches/suggestions.ts'
import { areCommitsGone } from './changes-since.ts'

const LIMITS = { maxLines: 200_000, maxBytes: 16 * 1024 * 1024 }

export type CarriedPlace = {
  readonly key: string
  readonly commit: Oid | ''
  readonly path: string
  readonly line: number
}

/**
 * The path and line that each place has in `to`, by its key. A place is left out when its line was
 * changed or its commit is gone.
 */
export async function carryPlaces(
  { git }: Pick<Hearth, 'git'>,
  store: string,
  to: Oid | null,
  places: readonly CarriedPlace[],
): Promise<Map<string, { path: string; line: number }>> {
  const found = new Map<string, { path: string; line: number }>()
  for (const [commit, ofCommit] of Map.groupBy(places, (place) => place.commit)) {
    let files: readonly FileDiff[] = []
    try {
      if (commit !== '' && to !== null && commit !== to)
        files = (await git.diff(store, commit, to, { hunks: true, context: 0, ...LIMITS })).files
    } catch (error) {
      if (areCommitsGone(error)) continue
      throw error
    }
    for (const { key, path, line } of ofCommit) {
      const file =
        files.find((one) => (one.old_path ?? one.path) === path && one.status !== 'added') ?? null
      const now = carryLines(file, { first: line, last: line })
      if (now) found.set(key, { path: file?.path ?? path, line: now.last })
    }
  }
  return found
}
