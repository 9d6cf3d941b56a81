/** Two texts compared without a repository, for what is not written yet. */
import type { Hunk } from '../ports.ts'
import { sumChanges } from './content.ts'
import { Effort } from './effort.ts'
import { toHunks } from './hunks.ts'
import { diffLines } from './line-diff.ts'
import { isBinary, splitLines } from './lines.ts'

/** A tenth of a second or two: it runs where requests are answered. */
const EFFORT = 20_000_000

export type TextDiff = {
  readonly additions: number
  readonly deletions: number
  readonly hunks: readonly Hunk[]
}

/**
 * The hunks that lead from one text to the other, with three lines of context; null when either is
 * binary.
 */
export function diffText(old: Uint8Array, now: Uint8Array): TextDiff | null {
  if (isBinary(old) || isBinary(now)) return null
  const [before, after] = [splitLines(old), splitLines(now)]
  const changes = diffLines(before, after, { effort: new Effort(EFFORT) })
  return { ...sumChanges(changes), hunks: toHunks(before, after, changes, 3) }
}
