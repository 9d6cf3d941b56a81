/**
 * Finds the commits that client and server have in common. An id counts as common only when this
 * namespace's refs reach it. The store may have it for another fork, and acknowledging it would
 * reveal that.
 */
import { COMMIT } from '../pack/entry-header.ts'
import { bytesToUtf8 } from '#lib/byte-text.ts'
import { bytesToOid, placesOfIds } from '../object.ts'
import type { FetchRequest } from '../protocol/fetch-request.ts'
import type { CommitTable } from '../walk/commit-table.ts'
import type { ReachableCommits } from '../walk/reachable-commits.ts'
import type { FetchOutput } from './fetch-output.ts'
import type { OpenStore } from './open-store.ts'

export type Negotiation = {
  readonly request: FetchRequest
  readonly out: FetchOutput
  readonly store: OpenStore
  readonly reach: ReachableCommits
  readonly wants: readonly number[]
  /** What changes at the boundary of the client's history; null when that is not sent. */
  readonly shallowInfo: {
    readonly shallow: readonly number[]
    readonly unshallow: readonly number[]
  } | null
}

/**
 * Returns the commit of a common id, 'other' when the id is common but no commit, and null when it
 * is not common.
 */
function findCommon(
  { store, reach }: Negotiation,
  ids: Uint8Array,
  at: number,
): number | null | 'other' {
  const known = store.commits.parsedNumber(ids, at)
  if (known >= 0) return reach.has(known, false) ? known : null
  const peeled = store.peel(ids, at)
  if (peeled === null) return null
  const isNamed = (): boolean => reach.isNamed(bytesToOid(ids, at))
  if (peeled.type !== COMMIT) return isNamed() ? 'other' : null
  if (peeled.tags.length > 0 && !isNamed()) return null
  const number = store.commits.numberOfRaw(peeled.raw, 0)
  return reach.has(number, false) ? number : null
}

/**
 * Writes the acknowledgments and boundaries of version 2. Returns the common commits, or null when
 * the client must continue the negotiation.
 */
export function negotiateV2(negotiation: Negotiation): number[] | null {
  const { request, out, store } = negotiation
  const haves: number[] = []
  const acks: string[] = []
  for (const turn of request.negotiation) {
    if (typeof turn === 'string') continue
    for (const at of placesOfIds(turn)) {
      const number = findCommon(negotiation, turn, at)
      if (number === null) continue
      acks.push(bytesToOid(turn, at))
      if (number !== 'other') haves.push(number)
    }
  }
  const talked = request.negotiation.length > 0
  if (talked && !request.done) {
    out.line('acknowledgments\n')
    if (acks.length === 0) out.line('NAK\n')
    for (const oid of acks) out.line(`ACK ${oid}\n`)
    if (request.waitForDone || !hasEnoughCommon(store.commits, negotiation.wants, haves)) {
      out.flush()
      return null
    }
    out.line('ready\n')
    out.delim()
  }
  if (request.wants.length === 0) {
    out.flush()
    return null
  }
  if (negotiation.shallowInfo !== null) {
    out.line('shallow-info\n')
    writeBoundary(negotiation, negotiation.shallowInfo)
    out.delim()
  }
  if (request.wantedRefs.length > 0) {
    out.line('wanted-refs\n')
    for (const line of bytesToUtf8(request.wantedRefs, 0, request.wantedRefs.length - 1).split(
      '\n',
    ))
      out.line(`${line}\n`)
    out.delim()
  }
  return haves
}

/** Replays the client's lines of version 0 or 1 and responds to each as git's upload-pack does. */
export function negotiateV0(negotiation: Negotiation): number[] | null {
  const { request, out, store } = negotiation
  const table = store.commits
  if (negotiation.shallowInfo !== null) {
    writeBoundary(negotiation, negotiation.shallowInfo)
    out.flush()
  }
  const haves: number[] = []
  let commonCount = 0
  let last = ''
  let gotCommon = false
  let gotOther = false
  let sentReady = false
  const { multiAck } = request
  const answerTo = (ids: Uint8Array, at: number): void => {
    const oid = bytesToOid(ids, at)
    const number = findCommon(negotiation, ids, at)
    if (number === null) {
      gotOther = true
      if (multiAck !== 'none' && hasEnoughCommon(table, negotiation.wants, haves)) {
        if (multiAck === 'detailed') sentReady = true
        out.line(`ACK ${oid} ${multiAck === 'detailed' ? 'ready' : 'continue'}\n`)
      }
      return
    }
    gotCommon = true
    last = oid
    commonCount++
    if (number !== 'other') haves.push(number)
    if (multiAck === 'detailed') out.line(`ACK ${oid} common\n`)
    else if (multiAck === 'simple') out.line(`ACK ${oid} continue\n`)
    else if (commonCount === 1) out.line(`ACK ${oid}\n`)
  }
  for (const turn of request.negotiation) {
    if (turn === 'flush') {
      if (
        multiAck === 'detailed' &&
        gotCommon &&
        !gotOther &&
        hasEnoughCommon(table, negotiation.wants, haves)
      ) {
        sentReady = true
        out.line(`ACK ${last} ready\n`)
      }
      if (commonCount === 0 || multiAck !== 'none') out.line('NAK\n')
      if (request.noDone && sentReady) {
        out.line(`ACK ${last}\n`)
        return haves
      }
      gotCommon = false
      gotOther = false
    } else if (turn === 'done') {
      if (commonCount > 0) {
        if (multiAck !== 'none') out.line(`ACK ${last}\n`)
      } else out.line('NAK\n')
      return haves
    } else for (const at of placesOfIds(turn)) answerTo(turn, at)
  }
  return null
}

function writeBoundary(
  negotiation: Negotiation,
  boundary: NonNullable<Negotiation['shallowInfo']>,
): void {
  const table = negotiation.store.commits
  // Without line feeds, as git sends them: libgit2 rejects them otherwise.
  for (const commit of boundary.shallow) negotiation.out.line(`shallow ${table.oid(commit)}`)
  for (const commit of boundary.unshallow) negotiation.out.line(`unshallow ${table.oid(commit)}`)
}

/** What the walk knows of a commit. */
const VISITING = 1
const LEADS_TO_COMMON = 2
const LEADS_NOWHERE = 3

/**
 * Whether every want has a common ancestor, so that the client need not search further (git's
 * `ok_to_give_up`).
 */
function hasEnoughCommon(
  table: CommitTable,
  wants: readonly number[],
  haves: readonly number[],
): boolean {
  if (haves.length === 0) return false
  const common = new Set(haves)
  let oldest = Infinity
  for (const have of haves) {
    table.load(have)
    oldest = Math.min(oldest, table.time(have))
  }
  const states = new Map<number, number>()
  for (const want of wants) {
    const stack = [want]
    while (stack.length > 0) {
      const commit = stack[stack.length - 1]!
      const state = states.get(commit)
      if (state === LEADS_TO_COMMON || state === LEADS_NOWHERE) {
        stack.pop()
        continue
      }
      table.load(commit)
      if (common.has(commit)) {
        states.set(commit, LEADS_TO_COMMON)
        stack.pop()
        continue
      }
      if (table.time(commit) < oldest) {
        states.set(commit, LEADS_NOWHERE)
        stack.pop()
        continue
      }
      let leads = false
      let waiting = false
      for (let i = 0; i < table.parentCount(commit) && !leads; i++) {
        const parent = table.parent(commit, i)
        const known = states.get(parent)
        if (known === LEADS_TO_COMMON) leads = true
        else if (known === undefined && state === undefined) {
          stack.push(parent)
          waiting = true
        }
      }
      if (leads) {
        states.set(commit, LEADS_TO_COMMON)
        // Parents pushed before the leading one was found stay on the stack above this commit. They
        // do no harm.
        if (!waiting) stack.pop()
      } else if (waiting) states.set(commit, VISITING)
      else {
        states.set(commit, LEADS_NOWHERE)
        stack.pop()
      }
    }
    if (states.get(want) !== LEADS_TO_COMMON) return false
  }
  return true
}
