/**
 * Packs the loose objects of a plain repository, because the engine reads only packs
 * (gitformat-loose).
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import zlib from 'node:zlib'
import { hashObject } from '../object.ts'
import { GitError, type ObjectType } from '../ports.ts'
import { WriteSet } from '../store/write-set.ts'

/** Bytes of objects in one pack. */
const MAX_BATCH_BYTES = 64 << 20

const EMPTY_DATABASE = { read: () => null, header: () => null, has: () => false }

/**
 * Packs all loose objects of a repository and removes their files. Returns their number. Throws
 * GitError `corrupt` for a damaged object.
 */
export function packLooseObjects(directory: string, tmp: string): number {
  const objects = join(directory, 'objects')
  mkdirSync(tmp, { recursive: true })
  mkdirSync(join(objects, 'pack'), { recursive: true })
  let count = 0
  let batchBytes = 0
  let set = new WriteSet(EMPTY_DATABASE, Infinity)
  let files: string[] = []
  const flush = () => {
    set.persist(directory, tmp)
    for (const file of files) rmSync(file, { force: true })
    set = new WriteSet(EMPTY_DATABASE, Infinity)
    files = []
    batchBytes = 0
  }
  for (let i = 0; i < 256; i++) {
    const folder = i.toString(16).padStart(2, '0')
    const at = join(objects, folder)
    if (!existsSync(at)) continue
    for (const name of readdirSync(at)) {
      if (!/^[0-9a-f]{38}$/.test(name)) continue
      const { type, data } = readLooseObject(join(at, name), folder + name)
      set.write(type, data)
      files.push(join(at, name))
      batchBytes += data.length
      count++
      if (batchBytes > MAX_BATCH_BYTES) flush()
    }
  }
  flush()
  return count
}

function readLooseObject(path: string, oid: string): { type: ObjectType; data: Uint8Array } {
  const bytes = zlib.inflateSync(readFileSync(path))
  const end = bytes.indexOf(0)
  const head = /^(commit|tree|blob|tag) (\d+)$/.exec(bytes.toString('latin1', 0, Math.max(0, end)))
  const data = bytes.subarray(end + 1)
  if (!head || Number(head[2]) !== data.length || hashObject(head[1] as ObjectType, data) !== oid) {
    throw new GitError('corrupt', `loose object ${oid} is damaged`)
  }
  return { type: head[1] as ObjectType, data }
}
