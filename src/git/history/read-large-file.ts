/** Reads a file of Git LFS for an archive, in pieces. */
import { closeSync, openSync, readSync } from 'node:fs'
import { GitError, type ArchivedLargeFile } from '../ports.ts'
import type { LargeContent } from './archive.ts'

const PIECE_BYTES = 1 << 18

export const largeFileContent = (file: ArchivedLargeFile): LargeContent => ({
  size: file.size,
  deflates: false,
  pieces: () => readLargeFile(file),
})

/**
 * Yields `size` bytes. A piece is valid until the next one is taken. Throws GitError `missing` when
 * the file is gone or shorter, because its header is written already.
 */
function* readLargeFile({ path, size }: ArchivedLargeFile): Generator<Uint8Array, void> {
  const descriptor = openFile(path)
  try {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size))
    for (let at = 0; at < size; ) {
      const read = readSync(descriptor, piece, 0, Math.min(piece.length, size - at), at)
      if (read === 0) throw new GitError('missing', 'a large file ends too early')
      at += read
      yield piece.subarray(0, read)
    }
  } finally {
    closeSync(descriptor)
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT')
      throw new GitError('missing', 'a large file is gone')
    throw error
  }
}
