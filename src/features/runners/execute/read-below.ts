/** Reads a file in a folder that a job writes to at the same time. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
const MAX_SEGMENTS = 50

/**
 * The text of a regular file of at most `maxBytes`; null without one. Each folder is opened within
 * the one before (proc(5), `/proc/self/fd`), so that no link leads out, also not one that the job
 * makes meanwhile.
 */
export function readBelow(root: string, path: string, maxBytes: number): string | null {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  const name = segments.pop()
  if (name === undefined || segments.length > MAX_SEGMENTS) return null
  if (name === '..' || segments.includes('..') || path.includes('\0')) return null
  const open: number[] = []
  const enter = (at: string, flags: number): number => {
    const file = openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | flags)
    open.push(file)
    return file
  }
  try {
    let folder = enter(root, O_DIRECTORY)
    for (const segment of segments)
      folder = enter(`/proc/self/fd/${folder}/${segment}`, O_DIRECTORY)
    const file = enter(`/proc/self/fd/${folder}/${name}`, 0)
    const stat = fstatSync(file)
    if (!stat.isFile() || stat.size > maxBytes) return null
    const buffer = Buffer.alloc(stat.size)
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, 0))
  } catch {
    return null
  } finally {
    for (const file of open) closeSync(file)
  }
}
