/** Reads single objects for `createGit`. */
import { parseCommit, parseTag } from '../object.ts'
import { COMMIT } from '../pack/entry-header.ts'
import {
  GitError,
  type Commit,
  type GitObject,
  type ObjectReader,
  type Oid,
  type Tag,
} from '../ports.ts'
import { peelHex } from '../walk/peel.ts'
import type { OpenStore } from './open-store.ts'

/**
 * Returns the only commit whose id begins with a prefix, or null. Throws GitError `invalid` for a
 * malformed prefix.
 */
export function expandPrefix(store: OpenStore, prefix: string): Oid | null {
  const text = prefix.toLowerCase()
  if (!/^[0-9a-f]{4,40}$/.test(text))
    throw new GitError('invalid', `"${prefix.slice(0, 60)}" is not the beginning of an object id`)
  const isCommit = (oid: Oid): boolean => store.objects.header(oid)?.type === 'commit'
  // The whole id, as most pages ask for: no need to look for packs that came since.
  if (text.length === 40) return isCommit(text) ? text : null
  const commits = store.objects.expand(text, 10_000).filter(isCommit)
  return commits.length === 1 ? commits[0]! : null
}

export function peelToCommit(store: OpenStore, oid: Oid): Oid | null {
  const peeled = peelHex(store.objects, oid)
  return peeled !== null && peeled.type === COMMIT ? peeled.oid : null
}

export function readCommit(objects: ObjectReader, oid: Oid): Commit | null {
  const object = objects.read(oid)
  if (object?.type !== 'commit') return null
  const commit = parseCommit(oid, object.data)
  return objects.shallowRoots?.has(oid) ? { ...commit, parents: [] } : commit
}

export function readTag(objects: ObjectReader, oid: Oid): Tag | null {
  const object = objects.read(oid)
  return object?.type === 'tag' ? parseTag(oid, object.data) : null
}

export function readBlob(
  objects: ObjectReader,
  oid: Oid,
  maxBytes = Infinity,
): { data: Uint8Array; size: number } | null {
  const start = objects.readStart?.(oid, maxBytes) ?? wholeObject(objects, oid, maxBytes)
  return start?.type === 'blob' ? { data: start.data, size: start.size } : null
}

function wholeObject(
  objects: ObjectReader,
  oid: Oid,
  maxBytes: number,
): (GitObject & { size: number }) | null {
  const object = objects.read(oid)
  if (object === null) return null
  const size = object.data.length
  return { ...object, size, data: size > maxBytes ? object.data.slice(0, maxBytes) : object.data }
}
