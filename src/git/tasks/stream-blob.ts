/**
 * Streams a part of a blob in blocks of 64 KiB. A whole entry of a pack is inflated block by block,
 * so a reader holds one block, whatever the size. A delta cannot be: a large one is resolved into
 * temporary files.
 */
import { GitError, type Oid } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import type { Engine } from './engine.ts'
import type { Task } from './task.ts'

export type ByteRange = { readonly start: number; readonly length: number }

const BLOCK_BYTES = 1 << 16
/** Smaller blobs are copied into the memory of the task. */
const MAX_COPIED_BYTES = 1 << 20

/** Throws GitError `missing` when there is no such blob, and `invalid` for a part outside of it. */
export function* streamBlobTask(
  engine: Engine,
  storeName: string,
  oid: Oid,
  { start, length }: ByteRange,
): Task<void> {
  const { objects } = engine.store(storeName)
  objects.pin()
  try {
    objects.refresh()
    const header = objects.header(oid)
    if (header?.type !== 'blob') throw new GitError('missing', `no blob ${oid}`)
    if (start < 0 || length < 0 || start + length > header.size)
      throw new GitError('invalid', `blob ${oid} has ${header.size} bytes`)
    const blocks =
      header.size > MAX_COPIED_BYTES
        ? objects.blocks(oid)
        : blocksOf(objects.read(oid)?.data ?? new Uint8Array())
    yield* cut(blocks, start, length)
  } finally {
    objects.unpin()
  }
}

/** The bytes `start` to `start + length` of consecutive blocks. */
function* cut(blocks: Iterable<Uint8Array | null>, start: number, length: number): Task<void> {
  let at = 0
  const end = start + length
  for (const block of blocks) {
    const size = block?.length ?? 0
    const from = Math.max(0, start - at)
    const to = Math.min(size, end - at)
    at += size
    // The memory of a block that is sent belongs to its reader, so it is sent whole or copied.
    if (block !== null && to > from)
      yield to - from === block.length ? block : block.slice(from, to)
    else yield 'pause'
    if (at >= end) return
  }
}

function* blocksOf(data: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < data.length; at += BLOCK_BYTES)
    yield copyBytes(data, at, Math.min(data.length, at + BLOCK_BYTES))
}
