/**
 * The refs that a caller was sent a moment ago. A clone requests the refs first and what they name
 * second; a ref that is deleted or moved back in between would make the clone fail. git's own
 * server sends any object whose id a client knows. This server sends only what refs reach, so it
 * remembers for a minute which refs it sent to whom. Access is still decided for each request.
 */

import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import type { Ref, RefSnapshot } from '#git'
import type { Cache } from '#lib/cache.ts'
import { MINUTE } from '#lib/time.ts'
import { MIB } from '../body.ts'

type RefList = RefSnapshot['refs']

/** One list of refs that was sent. */
type Advertisement = {
  readonly list: RefList
  sentAt: number
  /** What a later list lacks of this one, computed once for each later list. */
  missing: { readonly from: RefList; readonly refs: RefList } | null
}

const MAX_AGE_MS = MINUTE
/** For each caller and repository. */
const MAX_ADVERTISEMENTS = 4
/** A list with more missing refs than this was not changed by the deletion of a branch. */
const MAX_MISSING_REFS = 100
/** A ref with its name, in memory. */
const REF_BYTES = 160

const advertisements = cache<readonly Advertisement[]>('advertised-refs', {
  maxSize: 32 * MIB,
  sizeOf: (all) => all.reduce((sum, { list }) => sum + REF_BYTES * (1 + list.length), 0),
})

export class AdvertisedRefs {
  readonly #advertisements: Cache<readonly Advertisement[]>

  constructor(private readonly hearth: Hearth) {
    this.#advertisements = advertisements(hearth)
  }

  /** Notes that a principal is sent these refs. */
  note(principal: string, repo: string, { refs }: RefSnapshot): void {
    const key = `${principal}\n${repo}`
    const all = this.#advertisements.get(key) ?? []
    const [latest] = all
    const sentAt = this.hearth.clock.now()
    if (latest?.list === refs) latest.sentAt = sentAt
    else
      this.#advertisements.set(key, [
        { list: refs, sentAt, missing: null },
        ...all.slice(0, MAX_ADVERTISEMENTS - 1),
      ])
  }

  /**
   * The current refs with those that the principal was sent, that are deleted or moved since, and
   * that the request names.
   */
  addMissing(
    principal: string,
    repo: string,
    current: RefSnapshot,
    request: Uint8Array,
  ): RefSnapshot {
    const oldest = this.hearth.clock.now() - MAX_AGE_MS
    const all = this.#advertisements.get(`${principal}\n${repo}`) ?? []
    const missing = all.flatMap((sent) =>
      sent.list === current.refs || sent.sentAt < oldest ? [] : missingFrom(sent, current.refs),
    )
    if (missing.length === 0) return current
    const body = Buffer.from(request.buffer, request.byteOffset, request.length)
    const named = missing.filter(
      ({ name, oid }) => body.includes(oid) || body.includes(`want-ref ${name}`),
    )
    if (named.length === 0) return current
    const added = named.map(({ name, oid }) => `${name} ${oid}`).join()
    return {
      generation: `${current.generation} with ${added}`,
      head: current.head,
      refs: merge(current.refs, named),
    }
  }
}

function missingFrom(sent: Advertisement, current: RefList): RefList {
  if (sent.missing?.from !== current) {
    const { start, sentEnd, currentEnd } = differingRange(sent.list, current)
    const oids = new Map(current.slice(start, currentEnd).map((ref) => [ref.name, ref.oid]))
    const refs = sent.list.slice(start, sentEnd).filter(({ name, oid }) => oids.get(name) !== oid)
    sent.missing = { from: current, refs: refs.slice(0, MAX_MISSING_REFS) }
  }
  return sent.missing.refs
}

/** Where two lists differ. A push moves few of what may be 100,000 refs. */
function differingRange(
  sent: RefList,
  current: RefList,
): { start: number; sentEnd: number; currentEnd: number } {
  const isSame = (one: Ref | undefined, other: Ref | undefined): boolean =>
    one === other || (one?.name === other?.name && one?.oid === other?.oid)
  let [start, sentEnd, currentEnd] = [0, sent.length, current.length]
  while (start < sentEnd && start < currentEnd && isSame(sent[start], current[start])) start++
  while (
    sentEnd > start &&
    currentEnd > start &&
    isSame(sent[sentEnd - 1], current[currentEnd - 1])
  ) {
    sentEnd--
    currentEnd--
  }
  return { start, sentEnd, currentEnd }
}

/**
 * Both lists in the order of names. Of equal names the current ref comes last, and the engine takes
 * the last one as what the name stands for.
 */
const merge = (current: RefList, missing: RefList): Ref[] =>
  [...missing, ...current].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
