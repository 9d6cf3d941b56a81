/**
 * Applies deltas: copies from a base and inserted bytes (gitformat-pack, "Deltified
 * representation").
 */
import { GitError } from '../ports.ts'

/** The two sizes at the start of a delta, and the position of its first instruction. */
export type DeltaSizes = { base: number; result: number; start: number }

const corruptDelta = (what: string) => new GitError('corrupt', `delta ${what}`)

/** Parses the two sizes. `end` bounds the delta. Throws GitError `corrupt` for malformed sizes. */
export function deltaSizes(delta: Uint8Array, from: number, end: number): DeltaSizes {
  let at = from
  const sizes = [0, 0]
  for (let k = 0; k < 2; k++) {
    let scale = 1
    let byte: number
    do {
      if (at >= end || scale > 2 ** 49) throw corruptDelta('has a malformed size')
      byte = delta[at++]!
      sizes[k]! += (byte & 0x7f) * scale
      scale *= 128
    } while (byte & 0x80)
  }
  return { base: sizes[0]!, result: sizes[1]!, start: at }
}

/**
 * Applies the instructions in `delta[at, end)` to `base[baseFrom, baseFrom + baseSize)` and writes
 * exactly `size` bytes to `out` from `outFrom`. Throws GitError `corrupt` for anything out of
 * bounds. The loop stays in one function for speed: it runs once for each instruction of each
 * delta.
 */
export function applyDelta(
  base: Buffer,
  baseFrom: number,
  baseSize: number,
  delta: Buffer,
  at: number,
  end: number,
  out: Buffer,
  outFrom: number,
  size: number,
): void {
  let to = outFrom
  const limit = outFrom + size
  while (at < end) {
    const op = delta[at++]!
    if (op & 0x80) {
      let offset = 0
      let length = 0
      if (op & 1) offset = delta[at++]!
      if (op & 2) offset |= delta[at++]! << 8
      if (op & 4) offset |= delta[at++]! << 16
      if (op & 8) offset += delta[at++]! * 0x1000000
      if (op & 16) length = delta[at++]!
      if (op & 32) length |= delta[at++]! << 8
      if (op & 64) length |= delta[at++]! << 16
      if (length === 0) length = 0x10000
      if (at > end || offset + length > baseSize || to + length > limit)
        throw corruptDelta('copies out of bounds')
      let source = baseFrom + offset
      // A loop copies less than 16 bytes faster than a native call. `copy` needs no views, in
      // contrast to `set`.
      if (length < 16) {
        const stop = to + length
        while (to < stop) out[to++] = base[source++]!
      } else {
        base.copy(out, to, source, source + length)
        to += length
      }
    } else {
      if (op === 0) throw corruptDelta('has a reserved instruction')
      if (at + op > end || to + op > limit) throw corruptDelta('inserts out of bounds')
      if (op < 16) {
        const stop = to + op
        while (to < stop) out[to++] = delta[at++]!
      } else {
        delta.copy(out, to, at, at + op)
        to += op
        at += op
      }
    }
  }
  if (to !== limit) throw corruptDelta('produces fewer bytes than announced')
}
