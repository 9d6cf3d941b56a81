/** Compares two texts that are not in a repository. */
import type { Hunk } from '../ports.ts'
import { sumChanges } from './content.ts'
import { Effort } from './effort.ts'
import { toHunks } from './hunks.ts'
import { diffLines } from './line-diff.ts'
import { isBinary, splitLines } from './lines.ts'

/** 100 to 200 ms: it runs on the thread that serves requests. */
const EFFORT = 20_000_000

export type TextDiff = {
  readonly additions: number
  readonly deletions: number
  readonly hunks: readonly Hunk[]
}

/**
 * The hunks from one text to the other, with three lines of context; null when either is binary.
 */
export function diffText(old: Uint8Array, now: Uint8Array): TextDiff | null {
  if (isBinary(old) || isBinary(now)) return null
  const [before, after] = [splitLines(old), splitLines(now)]
  const changes = diffLines(before, after, { effort: new Effort(EFFORT) })
  return { ...sumChanges(changes), hunks: toHunks(before, after, changes, 3) }
}
