/** The lines that a pull request adds, in the commit that was analysed. */
import type { Hearth } from '#core/hearth.ts'
import type { FileDiff, Oid } from '#git'
import type { PullRow } from '#features/pulls/index.ts'

export type PullScope = {
  /** The head that was analysed, alone or merged into the base. */
  readonly head_sha: Oid
  /** Whether the pull request adds a line. False for all when the commits are not there. */
  readonly adds: (path: string, line: number) => boolean
}

const MAX_FILES = 3_000

function addedLines(files: readonly FileDiff[]): Map<string, Set<number>> {
  const added = new Map<string, Set<number>>()
  for (const { path, hunks } of files) {
    const lines = new Set<number>()
    for (const hunk of hunks ?? [])
      for (const line of hunk.lines)
        if (line.kind === 'add' && line.new !== null) lines.add(line.new)
    added.set(path, lines)
  }
  return added
}

/** The commit on the base that a commit of a pull request is compared with; null when unknown. */
async function comparedWith(
  hearth: Hearth,
  store: string,
  pull: PullRow,
  commit: Oid,
): Promise<{ head_sha: Oid; from: Oid | null }> {
  const found = await hearth.git.readCommit(store, commit)
  if (found === null) return { head_sha: commit, from: null }
  const [first, second] = found.parents
  // A test merge has the base as its first parent.
  if (first !== undefined && second === pull.head_sha) return { head_sha: second, from: first }
  const [base] = await hearth.git.findMergeBases(store, pull.base_sha, commit)
  return { head_sha: commit, from: base ?? null }
}

/** Finds out which of these files' lines a pull request adds. */
export async function pullScope(
  hearth: Hearth,
  store: string,
  { pull, commit, paths }: { pull: PullRow; commit: Oid; paths: readonly string[] },
): Promise<PullScope> {
  const { head_sha, from } = await comparedWith(hearth, store, pull, commit)
  if (from === null || paths.length === 0) return { head_sha, adds: () => false }
  const { files } = await hearth.git.diff(store, from, commit, {
    paths: paths.slice(0, MAX_FILES),
    context: 0,
    limit: MAX_FILES,
  })
  const added = addedLines(files)
  return { head_sha, adds: (path, line) => added.get(path)?.has(line) ?? false }
}
