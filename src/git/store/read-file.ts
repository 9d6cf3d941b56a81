/** Reads small files, such as indexes, into memory. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Returns all bytes of an open file. */
export function readOpenFile(fd: number): Uint8Array {
  const bytes = new Uint8Array(fstatSync(fd).size)
  let at = 0
  while (at < bytes.length) {
    const got = readSync(fd, bytes, at, bytes.length - at, at)
    if (got === 0) break
    at += got
  }
  // A file that was truncated meanwhile gives a shorter result. Zeros in place of the missing bytes
  // could be taken for content.
  return bytes.subarray(0, at)
}

/** Returns all bytes of a file; null when it cannot be opened. */
export function readFileOrNull(path: string): Uint8Array | null {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return null
  }
  try {
    return readOpenFile(fd)
  } finally {
    closeSync(fd)
  }
}
