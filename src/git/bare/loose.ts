/**
 * Loose objects of a plain repository, gathered into a pack: the engine reads packs alone
 * (gitformat-loose).
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import zlib from 'node:zlib'
import { hashObject } from '../object.ts'
import { GitError, type ObjectType } from '../ports.ts'
import { WriteSet } from '../store/write-set.ts'

/** Bytes of objects that go into one pack. */
const BATCH = 64 << 20

const nothing = { read: () => null, header: () => null, has: () => false }

/**
 * Packs all loose objects of a repository and removes their files; gives how many there were.
 * Throws GitError `corrupt` for one that is damaged.
 */
export function packLooseObjects(directory: string, tmp: string): number {
  const objects = join(directory, 'objects')
  mkdirSync(tmp, { recursive: true })
  mkdirSync(join(objects, 'pack'), { recursive: true })
  let count = 0
  let held = 0
  let set = new WriteSet(nothing, Infinity)
  let files: string[] = []
  const flush = () => {
    set.persist(directory, tmp)
    for (const file of files) rmSync(file, { force: true })
    set = new WriteSet(nothing, Infinity)
    files = []
    held = 0
  }
  for (let i = 0; i < 256; i++) {
    const folder = i.toString(16).padStart(2, '0')
    const at = join(objects, folder)
    if (!existsSync(at)) continue
    for (const name of readdirSync(at)) {
      if (!/^[0-9a-f]{38}$/.test(name)) continue
      const { type, data } = readLoose(join(at, name), folder + name)
      set.write(type, data)
      files.push(join(at, name))
      held += data.length
      count++
      if (held > BATCH) flush()
    }
  }
  flush()
  return count
}

function readLoose(path: string, oid: string): { type: ObjectType; data: Uint8Array } {
  const bytes = zlib.inflateSync(readFileSync(path))
  const end = bytes.indexOf(0)
  const head = /^(commit|tree|blob|tag) (\d+)$/.exec(bytes.toString('latin1', 0, Math.max(0, end)))
  const data = bytes.subarray(end + 1)
  if (!head || Number(head[2]) !== data.length || hashObject(head[1] as ObjectType, data) !== oid) {
    throw new GitError('corrupt', `loose object ${oid} is damaged`)
  }
  return { type: head[1] as ObjectType, data }
}
