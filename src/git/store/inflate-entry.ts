/** Inflates an entry of a pack in blocks, for objects that are too large to hold in memory. */
import { GitError } from '../ports.ts'
import { createInflater } from './inflate.ts'
import type { PackFile } from './pack-file.ts'

/** An entry that is not a delta. `dataAt` is the position of its compressed data in the pack. */
export type WholeEntry = {
  readonly pack: PackFile
  readonly dataAt: number
  readonly size: number
}

const INPUT_BYTES = 1 << 16

/** Yields new blocks. Throws GitError `corrupt` for damaged data. */
export function* inflateEntry(
  { pack, dataAt, size }: WholeEntry,
  blockBytes: number,
): Generator<Uint8Array, void> {
  const inflater = createInflater()
  inflater.begin()
  const input = Buffer.allocUnsafeSlow(INPUT_BYTES)
  const corrupt = () => new GitError('corrupt', `${pack.name}: the entry at ${dataAt} is damaged`)
  let readAt = dataAt
  let [from, to] = [0, 0]
  for (let left = size; left > 0; ) {
    const block = new Uint8Array(Math.min(blockBytes, left))
    let filled = 0
    while (filled < block.length) {
      if (from === to) {
        to = pack.read(input, 0, INPUT_BYTES, readAt)
        readAt += to
        from = 0
        if (to === 0) throw corrupt()
      }
      inflater.step(input, from, to, block, filled, block.length, true)
      if (inflater.consumed === 0 && inflater.produced === 0) throw corrupt()
      from += inflater.consumed
      filled += inflater.produced
    }
    left -= filled
    yield block
  }
}
