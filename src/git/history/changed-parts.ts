/**
 * The parts of a file that differ from the file it replaces. The equal ends are cut off. Within a
 * large rest, samples of the new file are looked for in the old one, near where they should be, and
 * what is equal around a hit is cut out. What is left may be too much and is never too little.
 */

/** Positions in bytes; `end` is not part of it. Empty where bytes were only removed. */
export type ChangedPart = { readonly start: number; readonly end: number }

/** Bytes that are compared by one call. */
const STEP_BYTES = 4096
/** A shorter rest is one part. */
const MIN_SAMPLED_BYTES = 16 << 10
const SAMPLE_BYTES = 64
/** From one sample that is not found to the next. */
const SAMPLE_DISTANCE = 1024
/** Samples are looked for so far from where they should be, and some of them further away. */
const REACH_BYTES = 4 << 10
const FAR_REACH_BYTES = 64 << 10
/** Every so many samples without a hit, the next one is looked for further away. */
const MISSES_PER_FAR_SAMPLE = 4
/** Shorter equal bytes are no gap between parts, because readers look around each part. */
const MIN_EQUAL_BYTES = 8 << 10
/** What follows so many samples without a hit is one part, which bounds the time. */
const MAX_MISSES = 64

export function changedParts(before: Buffer, after: Buffer): readonly ChangedPart[] {
  const shorter = Math.min(before.length, after.length)
  const start = equalBytes(before, after, 0, 0, shorter)
  const back = equalBytesBack(before, after, before.length, after.length, shorter - start)
  const end = after.length - back
  if (end - start < MIN_SAMPLED_BYTES) return [{ start, end }]
  return splitRest(before.subarray(0, before.length - back), after, { start, end })
}

/** `before` ends where its own rest ends. */
function splitRest(before: Buffer, after: Buffer, { start, end }: ChangedPart): ChangedPart[] {
  const parts: ChangedPart[] = []
  let from = start
  let shift = 0
  let misses = 0
  for (let at = start; at + SAMPLE_BYTES <= end && misses < MAX_MISSES; ) {
    const sample = after.subarray(at, at + SAMPLE_BYTES)
    const reach = misses % MISSES_PER_FAR_SAMPLE === 3 ? FAR_REACH_BYTES : REACH_BYTES
    const found = findNear(before, sample, Math.max(start, at + shift), reach)
    const more = found < 0 ? 0 : equalBytes(before, after, found, at, end - at)
    const less = more === 0 ? 0 : equalBytesBack(before, after, found, at, at - from)
    if (more + less < MIN_EQUAL_BYTES) {
      misses++
      at += SAMPLE_DISTANCE
      continue
    }
    parts.push({ start: from, end: at - less })
    shift = found - at
    at += more
    from = at
  }
  return [...parts, { start: from, end }]
}

/** Where a sample begins at or after a position, or before it; -1 when it is not near. */
function findNear(before: Buffer, sample: Buffer, position: number, reach: number): number {
  const next = before.subarray(position, position + reach).indexOf(sample)
  if (next >= 0) return position + next
  const from = Math.max(0, position - reach)
  const last = before.subarray(from, position).lastIndexOf(sample)
  return last < 0 ? -1 : from + last
}

/** How many bytes are equal from two positions on, at most `most`. */
function equalBytes(a: Buffer, b: Buffer, fromA: number, fromB: number, most: number): number {
  const limit = Math.min(most, a.length - fromA, b.length - fromB)
  let equal = 0
  while (equal < limit) {
    const step = Math.min(STEP_BYTES, limit - equal)
    const [atA, atB] = [fromA + equal, fromB + equal]
    if (a.compare(b, atB, atB + step, atA, atA + step) !== 0) break
    equal += step
  }
  while (equal < limit && a[fromA + equal] === b[fromB + equal]) equal++
  return equal
}

/** How many bytes are equal before two positions, at most `most`. */
function equalBytesBack(a: Buffer, b: Buffer, endA: number, endB: number, most: number): number {
  const limit = Math.min(most, endA, endB)
  let equal = 0
  while (equal < limit) {
    const step = Math.min(STEP_BYTES, limit - equal)
    const [atA, atB] = [endA - equal, endB - equal]
    if (a.compare(b, atB - step, atB, atA - step, atA) !== 0) break
    equal += step
  }
  while (equal < limit && a[endA - equal - 1] === b[endB - equal - 1]) equal++
  return equal
}
