/** What requests need of a snapshot of refs, computed once per snapshot and kept with it. */
import type { Ref, RefSnapshot } from '../ports.ts'
import type { NamespaceTips } from './fetch-request.ts'

/**
 * Answers that are kept because they were asked for, not because everybody asks for them: so many,
 * each at most so long.
 */
const MOST_ASKED = 32
const LONGEST_ASKED = 1 << 16

export class SnapshotView {
  readonly names: NamespaceTips
  private order: readonly Ref[] | null = null
  private sum: string | null = null
  private headOid: string | null | undefined
  private readonly advertisements = new Map<string, Uint8Array>()
  private readonly asked = new Map<string, Uint8Array>()

  constructor(readonly snapshot: RefSnapshot) {
    // All digits in one text: turning a thousand texts into bytes one by one takes ten times as
    // long.
    let [tips, tags] = ['', '']
    for (const { oid, peeled } of snapshot.refs) {
      tips += oid
      if (peeled !== null) tags += oid + peeled
    }
    this.names = { tips: Buffer.from(tips, 'hex'), tags: Buffer.from(tags, 'hex') }
  }

  /** The ref with a full name; where there are several, the last of them. */
  find(name: string): Ref | null {
    const refs = this.sorted
    let [low, high] = [0, refs.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((refs[middle]?.name ?? '') <= name) low = middle + 1
      else high = middle
    }
    const ref = refs[low - 1]
    return ref?.name === name ? ref : null
  }

  /** The refs in the order of their names, as the machine compares texts. */
  get sorted(): readonly Ref[] {
    if (this.order !== null) return this.order
    const { refs } = this.snapshot
    let before = ''
    for (const { name } of refs) {
      if (name < before) return (this.order = [...refs].sort((a, b) => (a.name < b.name ? -1 : 1)))
      before = name
    }
    return (this.order = refs)
  }

  /** The object that HEAD leads to, or null when its branch has no commit yet. */
  get head(): string | null {
    if (this.headOid === undefined) this.headOid = this.find(this.snapshot.head)?.oid ?? null
    return this.headOid
  }

  /** Stands for what the namespace shows: equal for equal ids of refs and tags. */
  get digest(): string {
    this.sum ??= Buffer.from(
      new Bun.CryptoHasher('sha1')
        .update(this.names.tips)
        .update('/')
        .update(this.names.tags)
        .digest() as Uint8Array,
    ).toString('latin1')
    return this.sum
  }

  /** An answer that depends on nothing but the snapshot and `key`. */
  kept(key: string, make: () => Uint8Array): Uint8Array {
    const have = this.advertisements.get(key)
    if (have) return have
    const made = make()
    this.advertisements.set(key, made)
    return made
  }

  /**
   * The answer to a question that was asked in these words, as long as it is short and not too many
   * others are asked.
   */
  keptAsAsked(question: string, make: () => Uint8Array): Uint8Array {
    const have = this.asked.get(question)
    if (have) return have
    const made = make()
    if (made.length <= LONGEST_ASKED) this.asked.set(question, made)
    if (this.asked.size > MOST_ASKED)
      for (const oldest of this.asked.keys()) return (this.asked.delete(oldest), made)
    return made
  }
}

/**
 * By the list of refs, which a host hands out again until a ref moves; the snapshot around it may
 * be a new one each time.
 */
const views = new WeakMap<RefSnapshot['refs'], SnapshotView>()

export function viewOf(snapshot: RefSnapshot): SnapshotView {
  let view = views.get(snapshot.refs)
  if (
    view === undefined ||
    view.snapshot.head !== snapshot.head ||
    view.snapshot.generation !== snapshot.generation
  ) {
    views.set(snapshot.refs, (view = new SnapshotView(snapshot)))
  }
  return view
}
