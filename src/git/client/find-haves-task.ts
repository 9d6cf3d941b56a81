/**
 * Finds what this side has, so that the remote sends only the rest (gitprotocol-pack, "Packfile
 * Negotiation").
 */
import { bytesToOids } from '../object.ts'
import { COMMIT } from '../pack/entry-header.ts'
import type { Oid } from '../ports.ts'
import type { OpenStore } from '../tasks/open-store.ts'
import type { Task } from '../tasks/task.ts'
import { CommitMarks } from '../walk/commit-marks.ts'
import { peelHex } from '../walk/peel.ts'
import { CommitTimeQueue } from '../walk/time-queue.ts'

export type FindHavesRequest = {
  readonly store: string
  /** Raw ids of the namespace's refs. */
  readonly tips: Uint8Array
  /** The ids of the remote's refs. */
  readonly remoteOids: readonly Oid[]
  /** Whether all objects of the store count, reachable or not. */
  readonly ownStore: boolean
  /** The maximum number of `haves`. */
  readonly limit: number
}

export type FindHavesResult = {
  /** The ids of `remoteOids` that are here with everything that they refer to. */
  readonly present: readonly Oid[]
  /** Commits of this side: first those that the remote certainly has, then the newest ones. */
  readonly haves: readonly Oid[]
  /** The commits at which the history of this side ends. */
  readonly shallow: readonly Oid[]
}

export function* findHavesTask(store: OpenStore, request: FindHavesRequest): Task<FindHavesResult> {
  const { objects, commits: table } = store
  objects.refresh()
  const reach = store.reach(request.tips)
  const present: Oid[] = []
  const marks = new CommitMarks()
  const queue = new CommitTimeQueue()
  const haves: Oid[] = []
  const start = (oid: Oid): void => {
    const peeled = peelHex(objects, oid)
    if (peeled === null || peeled.type !== COMMIT) return
    const number = table.numberOf(peeled.oid)
    if (!marks.add(number, 1)) return
    table.load(number)
    queue.push(number, table.time(number))
  }
  let steps = 0
  for (const oid of new Set(request.remoteOids)) {
    if (++steps % 256 === 0) yield 'pause'
    const header = objects.header(oid)
    if (header === null) continue
    if (
      !request.ownStore &&
      !(header.type === 'commit' ? reach.has(table.numberOf(oid), true) : reach.isNamed(oid))
    )
      continue
    present.push(oid)
    start(oid)
  }
  const certain = new Set(present)
  for (const oid of present) {
    const peeled = peelHex(objects, oid)
    if (peeled?.type === COMMIT && haves.length < request.limit) haves.push(peeled.oid)
  }
  const given = new Set(haves)
  for (const oid of bytesToOids(request.tips)) if (!certain.has(oid)) start(oid)
  while (queue.size > 0 && haves.length < request.limit) {
    const at = queue.pop()
    if (++steps % 256 === 0) yield 'pause'
    const oid = table.oid(at)
    if (!given.has(oid)) haves.push(oid)
    for (let nth = 0; nth < table.parentCount(at); nth++) {
      const parent = table.parent(at, nth)
      if (!marks.add(parent, 1)) continue
      table.load(parent)
      queue.push(parent, table.time(parent))
    }
  }
  return { present, haves, shallow: [...(objects.shallowRoots ?? [])] }
}
