/** Small files that are held in memory as a whole, such as indexes. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** All bytes of an open file, as it is now. */
export function readOpen(fd: number): Uint8Array {
  const bytes = new Uint8Array(fstatSync(fd).size)
  let at = 0
  while (at < bytes.length) {
    const got = readSync(fd, bytes, at, bytes.length - at, at)
    if (got === 0) break
    at += got
  }
  // One that was cut off meanwhile is as short as what there was to read: zeros would be taken for
  // content.
  return bytes.subarray(0, at)
}

/** All bytes of a file; null when there is none. */
export function readWhole(path: string): Uint8Array | null {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return null
  }
  try {
    return readOpen(fd)
  } finally {
    closeSync(fd)
  }
}
