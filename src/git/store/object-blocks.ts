/** Reads objects in blocks, for those that are too large to be in memory whole. */
import { join } from 'node:path'
import type { EntryReader } from './entry-reader.ts'
import { inflateEntry } from './inflate-entry.ts'
import type { FileContent } from './large-content.ts'
import { readLargeObject } from './large-object.ts'
import type { PackFile } from './pack-file.ts'
import { randomName } from './store-files.ts'

const BLOCK_BYTES = 1 << 16

/**
 * Yields the object at an offset in new blocks, and pauses where it yields null. An entry that is no
 * delta is inflated block by block; others are resolved into temporary files in `tmp`.
 */
export function* blocksOfObject(
  reader: EntryReader,
  pack: PackFile,
  offset: number,
  tmp: string,
): Generator<Uint8Array | null, void> {
  const { size, base, headerBytes } = reader.entryAt(pack, offset)
  if (base < 0) {
    yield* inflateEntry({ pack, dataAt: offset + headerBytes, size }, BLOCK_BYTES)
    return
  }
  const work = readLargeObject(reader, pack, offset, join(tmp, `object-${randomName()}`))
  let step = work.next()
  for (; !step.done; step = work.next()) yield null
  const content = step.value
  try {
    yield* blocksOfFile(content)
  } finally {
    content.close()
  }
}

export function* blocksOfFile(content: FileContent): Generator<Uint8Array, void> {
  for (let at = 0; at < content.size; at += BLOCK_BYTES) {
    const block = new Uint8Array(Math.min(BLOCK_BYTES, content.size - at))
    let filled = 0
    const copy = (bytes: Buffer, from: number, to: number): void => {
      block.set(bytes.subarray(from, to), filled)
      filled += to - from
    }
    content.copyTo(copy, at, block.length)
    yield block
  }
}

/** The first bytes of blocks, in `out`; all of it unless the blocks are fewer. */
export function fillFrom(blocks: Iterable<Uint8Array | null>, out: Uint8Array): void {
  let at = 0
  for (const block of blocks) {
    if (block === null) continue
    out.set(block.subarray(0, out.length - at), at)
    at = Math.min(out.length, at + block.length)
    if (at === out.length) return
  }
}
