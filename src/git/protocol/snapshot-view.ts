/** What requests need of a snapshot of refs, computed once per snapshot and kept with it. */
import type { Ref, RefSnapshot } from '../ports.ts'
import type { NamespaceTips } from './fetch-request.ts'

export class SnapshotView {
  readonly names: NamespaceTips
  private readonly byName = new Map<string, Ref>()
  private sum: string | null = null
  private readonly advertisements = new Map<string, Uint8Array>()

  constructor(readonly snapshot: RefSnapshot) {
    const { refs } = snapshot
    const tips = Buffer.alloc(refs.length * 20)
    const tags: Buffer[] = []
    refs.forEach((ref, i) => {
      tips.write(ref.oid, i * 20, 'hex')
      this.byName.set(ref.name, ref)
      if (ref.peeled !== null) tags.push(Buffer.from(ref.oid + ref.peeled, 'hex'))
    })
    this.names = { tips, tags: Buffer.concat(tags) }
  }

  find(name: string): Ref | null {
    return this.byName.get(name) ?? null
  }

  /** The object that HEAD leads to, or null when its branch has no commit yet. */
  get head(): string | null {
    return this.find(this.snapshot.head)?.oid ?? null
  }

  /** Stands for what the namespace shows: equal for equal ids of refs and tags. */
  get digest(): string {
    this.sum ??= Buffer.from(new Bun.CryptoHasher('sha1').update(this.names.tips).update('/').update(this.names.tags).digest() as Uint8Array).toString('latin1')
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
}

/** By the list of refs, which a host hands out again until a ref moves; the snapshot around it may be a new one each time. */
const views = new WeakMap<RefSnapshot['refs'], SnapshotView>()

export function viewOf(snapshot: RefSnapshot): SnapshotView {
  let view = views.get(snapshot.refs)
  if (view === undefined || view.snapshot.head !== snapshot.head || view.snapshot.generation !== snapshot.generation) {
    views.set(snapshot.refs, (view = new SnapshotView(snapshot)))
  }
  return view
}
