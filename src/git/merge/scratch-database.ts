/** A database whose writes stay in memory, for intermediate objects of a merge. */
import type { CommitSource } from '../history/commit-source.ts'
import { hashObject } from '../object.ts'
import type { GitObject, ObjectDatabase, ObjectReader, ObjectType, Oid } from '../ports.ts'

export class ScratchDatabase implements ObjectDatabase {
  /** The commits that walks have read (`history/commit-source.ts`). */
  commitSource: CommitSource | null = null
  private readonly objects = new Map<Oid, GitObject>()

  constructor(private readonly below: ObjectReader) {}

  read(oid: Oid): GitObject | null {
    return this.objects.get(oid) ?? this.below.read(oid)
  }

  header(oid: Oid): { type: ObjectType; size: number } | null {
    const own = this.objects.get(oid)
    return own ? { type: own.type, size: own.data.length } : this.below.header(oid)
  }

  hold(bytes: number): () => void {
    return this.below.hold?.(bytes) ?? (() => {})
  }

  get shallowRoots(): ObjectReader['shallowRoots'] {
    return this.below.shallowRoots
  }

  has(oid: Oid): boolean {
    return this.objects.has(oid) || this.below.has(oid)
  }

  write(type: ObjectType, data: Uint8Array): Oid {
    const oid = hashObject(type, data)
    if (!this.objects.has(oid)) this.objects.set(oid, { type, data })
    return oid
  }

  /** Writes an object and the new objects that it refers to into another database. */
  keep(
    oid: Oid,
    writer: { write(type: ObjectType, data: Uint8Array): Oid },
    named: (object: GitObject) => Iterable<Oid>,
  ): void {
    const object = this.objects.get(oid)
    if (!object) return
    for (const below of named(object)) this.keep(below, writer, named)
    writer.write(object.type, object.data)
  }
}
