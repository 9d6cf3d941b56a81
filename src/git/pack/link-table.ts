/** All ids that a pack's objects have or name, with the type that each id must have. */
import { BLOB, COMMIT, TAG, TREE } from './entry-header.ts'
import { GitError } from '../ports.ts'
import { OidMap } from '../store/oid-map.ts'
import { RecentOids } from '../walk/recent-oids.ts'
import type { LinkVisitor } from './fsck.ts'

const IN_PACK = 0x80
const TYPE_BITS: Record<number, number> = { [COMMIT]: 1, [TREE]: 2, [BLOB]: 4, [TAG]: 8 }
/** Maximum number of settings files in one pack; no known history has as many. */
const MAX_SETTINGS_FILES = 100_000

/** A table as plain values, for messages between threads. */
export type LinkExport = {
  readonly oids: Uint8Array
  readonly marks: Uint8Array
  readonly settingsFiles: readonly {
    readonly id: number
    readonly kind: 'gitmodules' | 'gitattributes'
  }[]
}

export class LinkTable implements LinkVisitor {
  readonly ids: OidMap
  /**
   * For each id: the types that other objects expect (low bits), and whether the pack has it
   * (IN_PACK).
   */
  private marks: Uint8Array
  /**
   * Consecutive versions of a directory name almost the same ids. A small cache skips the repeats.
   */
  private readonly recentTrees: RecentOids
  private readonly recentBlobs: RecentOids
  private readonly special: { id: number; kind: 'gitmodules' | 'gitattributes' }[] = []
  private readonly seenSettings = new Set<number>()

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
      (type === TREE && this.recentTrees.checkAndAdd(bytes, at)) ||
      (type === BLOB && this.recentBlobs.checkAndAdd(bytes, at))
    )
      return
    const id = this.ids.add(bytes, at)
    if (id >= this.marks.length) this.grow()
    this.marks[id]! |= TYPE_BITS[type] ?? 0
  }

  settings(bytes: Uint8Array, at: number, kind: 'gitmodules' | 'gitattributes'): void {
    const id = this.ids.add(bytes, at)
    if (id >= this.marks.length) this.grow()
    if (this.seenSettings.has(id)) return
    if (this.special.length >= MAX_SETTINGS_FILES)
      throw new GitError('too_large', 'the pack has too many settings files')
    this.seenSettings.add(id)
    this.special.push({ id, kind })
  }

  /** Returns the table as plain values, so that another thread can merge it. */
  export(): LinkExport {
    return {
      oids: this.ids.bytes.slice(),
      marks: this.marks.slice(0, this.ids.size),
      settingsFiles: this.special,
    }
  }

  /** Adds what another thread found about objects of the same pack. */
  merge({ oids, marks, settingsFiles: special }: LinkExport): void {
    for (let i = 0; i < marks.length; i++) {
      const id = this.ids.add(oids, i * 20)
      if (id >= this.marks.length) this.grow()
      this.marks[id]! |= marks[i]! & ~IN_PACK
    }
    for (const { id, kind } of special) this.settings(oids, id * 20, kind)
  }

  /** Records that the pack contains this object. Throws GitError `invalid` for a duplicate. */
  addOwned(oid: Uint8Array, at: number): number {
    const id = this.ids.add(oid, at)
    if (id >= this.marks.length) this.grow()
    if (this.marks[id]! & IN_PACK)
      throw new GitError('invalid', `the pack has object ${this.ids.hex(id)} twice`)
    this.marks[id]! |= IN_PACK
    return id
  }

  isOwned(id: number): boolean {
    return (this.marks[id]! & IN_PACK) !== 0
  }

  /** Throws GitError `invalid` when other objects expect another type of this one. */
  requireType(id: number, type: number): void {
    const expected = this.marks[id]! & 0x0f
    if (expected !== 0 && expected !== TYPE_BITS[type])
      throw new GitError(
        'invalid',
        `object ${this.ids.hex(id)} is not of the type that other objects expect`,
      )
  }

  /** Returns the type that other objects expect of an id; 0 for any. */
  expected(id: number): number {
    const bits = this.marks[id]! & 0x0f
    for (const type of [COMMIT, TREE, BLOB, TAG]) if (TYPE_BITS[type] === bits) return type
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
