/** All ids that a pack's objects have or name, and what each must be. */
import { BLOB, COMMIT, TAG, TREE } from './entry.ts'
import { GitError } from '../ports.ts'
import { OidMap } from '../store/oid-map.ts'
import { RecentOids } from '../walk/recent.ts'
import type { Links } from './fsck.ts'

const IN_PACK = 0x80
const BITS: Record<number, number> = { [COMMIT]: 1, [TREE]: 2, [BLOB]: 4, [TAG]: 8 }
/** Settings files in one pack; far more than any history has. */
const MAX_SETTINGS = 100_000

/** A table as plain values. */
export type LinkExport = {
  readonly oids: Uint8Array
  readonly marks: Uint8Array
  readonly special: readonly {
    readonly id: number
    readonly kind: 'gitmodules' | 'gitattributes'
  }[]
}

export class LinkTable implements Links {
  readonly ids: OidMap
  /**
   * For each id: the types that others expect of it, and in the upper bits whether the pack has it.
   */
  private marks: Uint8Array
  /** From one version of a directory to the next nearly everything is named again. */
  private readonly recentTrees: RecentOids
  private readonly recentBlobs: RecentOids
  private readonly special: { id: number; kind: 'gitmodules' | 'gitattributes' }[] = []
  private readonly seenSpecial = new Set<number>()

  constructor(
    expected: number,
    readonly imported = false,
  ) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(64, Math.min(expected * 4, 1 << 15))))
    this.recentTrees = new RecentOids(slots)
    this.recentBlobs = new RecentOids(slots)
    this.ids = new OidMap(expected)
    this.marks = new Uint8Array(Math.max(64, expected))
  }

  link(bytes: Uint8Array, at: number, type: number): void {
    if (
      (type === TREE && this.recentTrees.met(bytes, at)) ||
      (type === BLOB && this.recentBlobs.met(bytes, at))
    )
      return
    const id = this.ids.add(bytes, at)
    if (id >= this.marks.length) this.grow()
    this.marks[id]! |= BITS[type] ?? 0
  }

  settings(bytes: Uint8Array, at: number, kind: 'gitmodules' | 'gitattributes'): void {
    const id = this.ids.add(bytes, at)
    if (id >= this.marks.length) this.grow()
    if (this.seenSpecial.has(id)) return
    if (this.special.length >= MAX_SETTINGS)
      throw new GitError('too_large', 'the pack has too many settings files')
    this.seenSpecial.add(id)
    this.special.push({ id, kind })
  }

  /** Everything that is known, to be joined with another table. */
  export(): LinkExport {
    return {
      oids: this.ids.bytes.slice(),
      marks: this.marks.slice(0, this.ids.size),
      special: this.special,
    }
  }

  /** Takes in what was found elsewhere about objects of the same pack. */
  join({ oids, marks, special }: LinkExport): void {
    for (let i = 0; i < marks.length; i++) {
      const id = this.ids.add(oids, i * 20)
      if (id >= this.marks.length) this.grow()
      this.marks[id]! |= marks[i]! & ~IN_PACK
    }
    for (const { id, kind } of special) this.settings(oids, id * 20, kind)
  }

  /** Notes that the pack has this object. Throws GitError `invalid` when it has it twice. */
  own(oid: Uint8Array, at: number): number {
    const id = this.ids.add(oid, at)
    if (id >= this.marks.length) this.grow()
    if (this.marks[id]! & IN_PACK)
      throw new GitError('invalid', `the pack has object ${this.ids.hex(id)} twice`)
    this.marks[id]! |= IN_PACK
    return id
  }

  isOwn(id: number): boolean {
    return (this.marks[id]! & IN_PACK) !== 0
  }

  /** Throws GitError `invalid` when others name the object as something that it is not. */
  checkType(id: number, type: number): void {
    const expected = this.marks[id]! & 0x0f
    if (expected !== 0 && expected !== BITS[type])
      throw new GitError('invalid', `object ${this.ids.hex(id)} is not of the type that others say`)
  }

  /** The type that others expect of an object outside the pack. */
  expected(id: number): number {
    const bits = this.marks[id]! & 0x0f
    for (const type of [COMMIT, TREE, BLOB, TAG]) if (BITS[type] === bits) return type
    if (bits === 0) return 0
    throw new GitError('invalid', `object ${this.ids.hex(id)} is named as two types`)
  }

  get settingsFiles(): readonly { id: number; kind: 'gitmodules' | 'gitattributes' }[] {
    return this.special
  }

  private grow(): void {
    const grown = new Uint8Array(this.marks.length * 2)
    grown.set(this.marks)
    this.marks = grown
  }
}
