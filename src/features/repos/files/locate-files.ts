/**
 * Files of a commit that paths of another machine mean, such as those of a stack trace: the folder
 * in which a program was built or runs stands before them, or folders of the repository are missing.
 */
import type { Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { Refusal } from '#lib/errors.ts'
import { nextTurn } from '#lib/waiting.ts'
import { headCommit, refuseBadInput, resolveCommit } from '../refs/resolve-commit.ts'
import { pathsOf, PATHS_PER_TURN } from './path-search.ts'

const MAX_REVISIONS = 6
const MAX_LOCATED = 100
const MAX_PATH_CHARS = 1_000
/** A name that more files have, such as index.ts, says too little to compare them all. */
const MAX_FILES_OF_NAME = 2_000

export type LocatedFiles = {
  readonly commit: Oid
  /** As many as were asked for; null for what is no file of this commit. */
  readonly paths: readonly (string | null)[]
}

/** Null for what a Refusal says that there is not, or that is too large. */
async function orNull<T>(run: () => Promise<T>): Promise<T | null> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** The first revision that exists, else the default branch. Null for an empty repository. */
async function commitOf(
  hearth: Hearth,
  repo: { readonly id: string; readonly store: string },
  revisions: readonly string[],
): Promise<Oid | null> {
  for (const revision of revisions.slice(0, MAX_REVISIONS)) {
    const commit = await orNull(() =>
      refuseBadInput('ref', () => resolveCommit(hearth, repo, revision)),
    )
    if (commit !== null) return commit
  }
  return headCommit(hearth, repo)
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The files of a commit that have one of these names, by name. */
async function filesByName(
  paths: readonly string[],
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  for (const [index, path] of paths.entries()) {
    if (index % PATHS_PER_TURN === PATHS_PER_TURN - 1) await nextTurn()
    const name = nameOf(path)
    if (!names.has(name)) continue
    const same = found.get(name)
    if (same === undefined) found.set(name, [path])
    else if (same.length <= MAX_FILES_OF_NAME) same.push(path)
  }
  return found
}

function commonSegments(one: readonly string[], other: readonly string[]): number {
  let count = 0
  while (count < one.length && count < other.length && one.at(-1 - count) === other.at(-1 - count))
    count++
  return count
}

/**
 * The file that shares the longest end with a path, and of which one is the end of the other. Null
 * when two files share as much.
 */
export function fileAtEnd(path: string, files: readonly string[]): string | null {
  const segments = path.split('/')
  let best: string | null = null
  let longest = 0
  for (const file of files) {
    const own = file.split('/')
    const count = commonSegments(segments, own)
    if (count < Math.min(segments.length, own.length) || count < longest) continue
    best = count === longest ? null : file
    longest = count
  }
  return best
}

/**
 * Locates files at the first of some revisions that exists, else at the default branch. Each file
 * has several paths by which it may be found, the best first. Null for an empty repository, and for
 * one with too many files to list.
 */
export async function locateFiles(
  hearth: Hearth,
  repo: { readonly id: string; readonly store: string },
  { revisions, files }: { revisions: readonly string[]; files: readonly (readonly string[])[] },
): Promise<LocatedFiles | null> {
  const commit = await commitOf(hearth, repo, revisions)
  if (commit === null) return null
  const list = await orNull(() => pathsOf(hearth, repo.store, commit))
  if (list === null) return null
  const wanted = files
    .slice(0, MAX_LOCATED)
    .map((paths) => paths.filter(({ length }) => length > 0 && length <= MAX_PATH_CHARS))
  const byName = await filesByName(list.paths, new Set(wanted.flat().map(nameOf)))
  const locate = (path: string): string | null => {
    const same = byName.get(nameOf(path)) ?? []
    return same.length > MAX_FILES_OF_NAME ? null : fileAtEnd(path, same)
  }
  return {
    commit,
    paths: files.map((_, at) => {
      for (const path of wanted[at] ?? []) {
        const found = locate(path)
        if (found !== null) return found
      }
      return null
    }),
  }
}
