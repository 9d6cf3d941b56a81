/** What requests need of a snapshot of refs, computed once per snapshot and kept with it. */
import type { Ref, RefSnapshot } from '../ports.ts'
import type { NamespaceTips } from './fetch-request.ts'

export class SnapshotView {
  readonly names: NamespaceTips
  private readonly byName = new Map<string, Ref>()
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

  /** An answer that depends on nothing but the snapshot and `key`. */
  kept(key: string, make: () => Uint8Array): Uint8Array {
    const have = this.advertisements.get(key)
    if (have) return have
    const made = make()
    this.advertisements.set(key, made)
    return made
  }
}

const views = new WeakMap<RefSnapshot, SnapshotView>()

export function viewOf(snapshot: RefSnapshot): SnapshotView {
  let view = views.get(snapshot)
  if (view === undefined) views.set(snapshot, (view = new SnapshotView(snapshot)))
  return view
}
