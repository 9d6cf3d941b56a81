/**
 * Streams a part of a blob in blocks of 64 KiB. A whole entry of a pack is inflated block by block,
 * so a reader holds one block, whatever the size. A delta cannot be: a large one is resolved into a
 * temporary file, so that a slow reader does not hold its memory.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { GitError, type Oid } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import { inflateEntry } from '../store/inflate-entry.ts'
import { randomName } from '../store/store-files.ts'
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
    const entry = header.size > MAX_COPIED_BYTES ? objects.wholeEntry(oid) : null
    const blocks = entry
      ? inflateEntry(entry, BLOCK_BYTES)
      : blocksOfObject(objects.view(oid)?.data ?? new Uint8Array(), engine.settings.tmp)
    yield* cut(blocks, start, length)
  } finally {
    objects.unpin()
  }
}

/** The bytes `start` to `start + length` of consecutive blocks. */
function* cut(blocks: Generator<Uint8Array, void>, start: number, length: number): Task<void> {
  let at = 0
  const end = start + length
  for (const block of blocks) {
    const from = Math.max(0, start - at)
    const to = Math.min(block.length, end - at)
    at += block.length
    // The memory of a block that is sent belongs to its reader, so it is sent whole or copied.
    if (to > from) yield to - from === block.length ? block : block.slice(from, to)
    else yield 'pause'
    if (at >= end) return
  }
}

/** `data` is valid until the first block is taken: others use the memory of the reader then. */
function* blocksOfObject(data: Uint8Array, directory: string): Generator<Uint8Array, void> {
  if (data.length <= MAX_COPIED_BYTES) {
    const copy = copyBytes(data)
    for (let at = 0; at < copy.length; at += BLOCK_BYTES)
      yield copyBytes(copy, at, Math.min(copy.length, at + BLOCK_BYTES))
    return
  }
  const path = join(directory, `blob-${randomName()}`)
  const file = openSync(path, 'wx+', 0o600)
  try {
    unlinkSync(path)
    for (let at = 0; at < data.length; ) at += writeSync(file, data, at)
    const { length } = data
    data = new Uint8Array()
    for (let at = 0; at < length; ) {
      const block = new Uint8Array(Math.min(BLOCK_BYTES, length - at))
      at += readSync(file, block, 0, block.length, at)
      yield block
    }
  } finally {
    closeSync(file)
  }
}
