/**
 * Finding what client and server have in common. An id counts as common only when this namespace's
 * own refs reach it:
 * the store may hold it for another fork, and saying so would tell strangers what is in there.
 */
import { COMMIT } from '../pack/entry.ts'
import type { FetchRequest } from '../protocol/fetch-request.ts'
import type { CommitTable } from '../walk/commit-table.ts'
import type { Reach } from '../walk/reach.ts'
import type { FetchOutput } from './fetch-output.ts'
import type { OpenStore } from './open-store.ts'

export type Talk = {
  readonly request: FetchRequest
  readonly out: FetchOutput
  readonly store: OpenStore
  readonly reach: Reach
  readonly wants: readonly number[]
  readonly boundary: { shallow: readonly number[]; unshallow: readonly number[] } | null
}

/**
 * The commit that an id stands for when it is common; null when not, 'other' when it is common but
 * no commit.
 */
function common(talk: Talk, oid: string): number | null | 'other' {
  const known = talk.store.knownCommit(oid)
  if (known >= 0) return talk.reach.has(known, false) ? known : null
  const peeled = talk.store.peel(oid)
  if (peeled === null) return null
  if (peeled.type !== COMMIT) return talk.reach.isNamed(oid) ? 'other' : null
  if (peeled.tags.length > 0 && !talk.reach.isNamed(oid)) return null
  const number = talk.store.commits.number(peeled.raw, 0)
  return talk.reach.has(number, false) ? number : null
}

/**
 * Writes acknowledgments and boundaries of version 2; gives what is common, or null when the client
 * must go on.
 */
export function negotiateV2(talk: Talk): number[] | null {
  const { request, out, store } = talk
  const haves: number[] = []
  const acks: string[] = []
  for (const turn of request.talk) {
    if (typeof turn === 'string') continue
    const number = common(talk, turn.have)
    if (number === null) continue
    acks.push(turn.have)
    if (number !== 'other') haves.push(number)
  }
  const talked = request.talk.length > 0
  if (talked && !request.done) {
    out.line('acknowledgments\n')
    if (acks.length === 0) out.line('NAK\n')
    for (const oid of acks) out.line(`ACK ${oid}\n`)
    if (request.waitForDone || !enough(store.commits, talk.wants, haves)) {
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
  if (talk.boundary !== null) {
    out.line('shallow-info\n')
    boundaryLines(talk, talk.boundary)
    out.delim()
  }
  if (request.wantedRefs.length > 0) {
    out.line('wanted-refs\n')
    for (const { oid, name } of request.wantedRefs) out.line(`${oid} ${name}\n`)
    out.delim()
  }
  return haves
}

/** Plays the client's lines of version 0 or 1 and answers each as git's upload-pack does. */
export function negotiateV0(talk: Talk): number[] | null {
  const { request, out, store } = talk
  const table = store.commits
  if (talk.boundary !== null) {
    boundaryLines(talk, talk.boundary)
    out.flush()
  }
  const haves: number[] = []
  let commonCount = 0
  let last = ''
  let gotCommon = false
  let gotOther = false
  let sentReady = false
  const { multiAck } = request
  for (const turn of request.talk) {
    if (turn === 'flush') {
      if (multiAck === 'detailed' && gotCommon && !gotOther && enough(table, talk.wants, haves)) {
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
    } else {
      const number = common(talk, turn.have)
      if (number === null) {
        gotOther = true
        if (multiAck !== 'none' && enough(table, talk.wants, haves)) {
          if (multiAck === 'detailed') sentReady = true
          out.line(`ACK ${turn.have} ${multiAck === 'detailed' ? 'ready' : 'continue'}\n`)
        }
        continue
      }
      gotCommon = true
      last = turn.have
      commonCount++
      if (number !== 'other') haves.push(number)
      if (multiAck === 'detailed') out.line(`ACK ${last} common\n`)
      else if (multiAck === 'simple') out.line(`ACK ${last} continue\n`)
      else if (commonCount === 1) out.line(`ACK ${last}\n`)
    }
  }
  return null
}

function boundaryLines(
  talk: Talk,
  boundary: { shallow: readonly number[]; unshallow: readonly number[] },
): void {
  const table = talk.store.commits
  // Without line feeds, as git sends them: libgit2 takes no others.
  for (const commit of boundary.shallow) talk.out.line(`shallow ${table.oid(commit)}`)
  for (const commit of boundary.unshallow) talk.out.line(`unshallow ${table.oid(commit)}`)
}

/**
 * Whether every want has an ancestor that is common: then the client need not look further
 * (`ok_to_give_up`).
 */
function enough(table: CommitTable, wants: readonly number[], haves: readonly number[]): boolean {
  if (haves.length === 0) return false
  const had = new Set(haves)
  let oldest = Infinity
  for (const have of haves) {
    table.load(have)
    oldest = Math.min(oldest, table.time(have))
  }
  /**
   * What is known of a commit: 1 it is being looked at, 2 it leads to a common one, 3 it does not.
   */
  const verdicts = new Map<number, number>()
  for (const want of wants) {
    const stack = [want]
    while (stack.length > 0) {
      const commit = stack[stack.length - 1]!
      const verdict = verdicts.get(commit)
      if (verdict === 2 || verdict === 3) {
        stack.pop()
        continue
      }
      table.load(commit)
      if (had.has(commit)) {
        verdicts.set(commit, 2)
        stack.pop()
        continue
      }
      if (table.time(commit) < oldest) {
        verdicts.set(commit, 3)
        stack.pop()
        continue
      }
      let leads = false
      let waiting = false
      for (let i = 0; i < table.parentCount(commit) && !leads; i++) {
        const parent = table.parent(commit, i)
        const known = verdicts.get(parent)
        if (known === 2) leads = true
        else if (known === undefined && verdict === undefined) {
          stack.push(parent)
          waiting = true
        }
      }
      if (leads) {
        verdicts.set(commit, 2)
        // Parents pushed before the leading one was found stay on the stack above this commit; they
        // do no harm.
        if (!waiting) stack.pop()
      } else if (waiting) verdicts.set(commit, 1)
      else {
        verdicts.set(commit, 3)
        stack.pop()
      }
    }
    if (verdicts.get(want) !== 2) return false
  }
  return true
}
