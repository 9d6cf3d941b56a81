/**
 * Which refs a caller was shown a moment ago. A clone asks for refs first and for what they name
 * second; one that was deleted or moved back in between would make all of it fail. git's own server
 * gives any object that exists to whoever knows its id; this one gives what the refs reach, so it
 * remembers for a while what it has shown, to whom. Whether they may read at all is asked each
 * time.
 */
import type { Ref, RefSnapshot } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { createCache, type Cache } from '#lib/cache.ts'
import { MINUTE } from '#lib/time.ts'

type List = RefSnapshot['refs']
/** One list of refs, and what is missing in a later one of what it had. */
type Shown = {
  readonly list: List
  at: number
  since: { readonly now: List; readonly gone: List } | null
}

/** Lists that are remembered for each caller and repository, and refs in all of them. */
const MOST_LISTS = 4
const MOST_REFS = 200_000
/** More than this at once is no deleted branch. */
const MOST_GONE = 100

export class ShownRefs {
  readonly #shown: Cache<readonly Shown[]> = createCache({
    maxSize: MOST_REFS,
    sizeOf: (all) => all.reduce((sum, { list }) => sum + list.length, 1),
  })

  constructor(private readonly hearth: Pick<Hearth, 'clock'>) {}

  /** Notes what is shown, to which party. */
  note(party: string, repo: string, { refs }: RefSnapshot): void {
    const key = `${party}\n${repo}`
    const all = this.#shown.get(key) ?? []
    const [latest] = all
    if (latest?.list === refs) latest.at = this.hearth.clock.now()
    else
      this.#shown.set(key, [
        { list: refs, at: this.hearth.clock.now(), since: null },
        ...all.slice(0, MOST_LISTS - 1),
      ])
  }

  /**
   * The refs of now, with those that the caller was shown, that are gone or name something else
   * since, and that a request names.
   */
  with(party: string, repo: string, now: RefSnapshot, request: Uint8Array): RefSnapshot {
    const late = this.hearth.clock.now() - MINUTE
    const gone = (this.#shown.get(`${party}\n${repo}`) ?? []).flatMap((shown) =>
      shown.list === now.refs || shown.at < late ? [] : goneFrom(shown, now.refs),
    )
    if (gone.length === 0) return now
    const body = Buffer.from(request.buffer, request.byteOffset, request.length)
    const named = gone.filter(
      ({ name, oid }) => body.includes(oid) || body.includes(`want-ref ${name}`),
    )
    if (named.length === 0) return now
    return {
      generation: `${now.generation} with ${named.map(({ name, oid }) => `${name} ${oid}`).join()}`,
      head: now.head,
      refs: merged(now.refs, named),
    }
  }
}

function goneFrom(shown: Shown, now: List): List {
  if (shown.since?.now !== now) {
    const names = new Map(now.map((ref) => [ref.name, ref.oid]))
    shown.since = {
      now,
      gone: shown.list.filter(({ name, oid }) => names.get(name) !== oid).slice(0, MOST_GONE),
    }
  }
  return shown.since.gone
}

/**
 * Both in the order of names. What has a name now comes last of all with that name, and is what the
 * name stands for.
 */
const merged = (now: List, gone: List): Ref[] => {
  const order = (a: Ref, b: Ref): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  return [...gone, ...now].sort(order)
}
