/** Reads small files into memory, and maps large ones. */
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

function openOrNull(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

function readAndClose(fd: number, read: (fd: number) => Uint8Array): Uint8Array {
  try {
    return read(fd)
  } finally {
    closeSync(fd)
  }
}

/** Returns all bytes of a file; null when it cannot be opened. */
export function readFileOrNull(path: string): Uint8Array | null {
  const fd = openOrNull(path)
  return fd === null ? null : readAndClose(fd, readOpenFile)
}

/** Larger files are mapped, in bytes. */
const MIN_MAPPED_BYTES = 1 << 20

const mapOpenFile =
  (path: string) =>
  (fd: number): Uint8Array =>
    fstatSync(fd).size > MIN_MAPPED_BYTES ? Bun.mmap(path) : readOpenFile(fd)

/**
 * The bytes of a file that is never changed, only replaced or removed. A large one is mapped: its
 * pages are shared by all threads, and the system takes them back when it needs memory.
 */
export const mapFile = (path: string): Uint8Array =>
  readAndClose(openSync(path, 'r'), mapOpenFile(path))

/** The same; null when the file cannot be opened. */
export function mapFileOrNull(path: string): Uint8Array | null {
  const fd = openOrNull(path)
  return fd === null ? null : readAndClose(fd, mapOpenFile(path))
}
