/**
 * Decides what a hand back or a push to a follower does with each ref. Pure: what git has to be
 * read for (which of two commits contains the other) comes as a function.
 */
import type { Oid } from '#git'
import type { MirrorSettings, PlanAction } from './schema.ts'

/** service: the commit of the service contains that of the remote. remote: the reverse. */
export type Containment = 'service' | 'remote' | 'neither'

/** A ref on both sides, and where it was when the takeover began. */
export type RefSides = {
  readonly name: string
  readonly taken_over: Oid | null
  readonly service: Oid | null
  readonly remote: Oid | null
}

export type Resolution = Readonly<Record<string, 'ours' | 'theirs'>>

export type PlanRules = {
  readonly remote_pushes: MirrorSettings['remote_pushes']
  readonly resolve: Resolution
  /**
   * The remote lost everything, or its default branch. What is missing there is then created, never
   * deleted here.
   */
  readonly remoteIsBroken: boolean
}

const sendTo = (remote: Oid | null, service: Oid | null): PlanAction =>
  service === null ? 'delete' : remote === null ? 'create' : 'push'

/** Whether both sides moved a ref, so that history decides. */
export const needsContainment = ({ taken_over, service, remote }: RefSides): boolean =>
  service !== null &&
  remote !== null &&
  service !== remote &&
  service !== taken_over &&
  remote !== taken_over

export function planRef(
  { name, taken_over, service, remote }: RefSides,
  { remote_pushes, resolve, remoteIsBroken }: PlanRules,
  containment: (service: Oid, remote: Oid) => Containment,
): PlanAction {
  if (service === remote) return 'unchanged'
  if (remote === null && service !== null && remoteIsBroken) return 'create'
  if (remote === taken_over) return sendTo(remote, service)
  if (remote_pushes === 'refuse') return sendTo(remote, service)
  if (service === taken_over) return 'fetch'
  if (service !== null && remote !== null) {
    const found = containment(service, remote)
    if (found !== 'neither') return found === 'service' ? 'push' : 'fetch'
  }
  const chosen = resolve[name]
  if (chosen === undefined) return 'conflict'
  return chosen === 'ours' ? sendTo(remote, service) : 'fetch'
}

/** A ref of a follower. */
export type FollowerRef = {
  readonly name: string
  readonly service: Oid | null
  readonly remote: Oid | null
  /** What the service pushed there last. */
  readonly pushed: Oid | null
}

/** skip: others made or moved the ref, and the service does not have it. */
export type FollowerAction = 'unchanged' | 'push' | 'delete' | 'skip' | 'diverged'

export function planFollowerRef(
  { service, remote, pushed }: FollowerRef,
  force: boolean,
  /** Whether the service's commit contains the remote's. */
  contains: boolean,
): FollowerAction {
  if (service === remote) return 'unchanged'
  // A ref is deleted only where it still is what the service pushed.
  if (service === null) return remote === pushed ? 'delete' : 'skip'
  if (remote === null || remote === pushed || contains || force) return 'push'
  return 'diverged'
}
