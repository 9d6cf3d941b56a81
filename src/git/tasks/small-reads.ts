/**
 * Serves reads of small objects (an entry, a directory, a small file) on the calling thread: a
 * message to another thread takes longer. When an object is too large, the read is delegated to a
 * thread.
 */
import type { GitObject, ObjectReader, ObjectType, Oid } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { BudgetExceeded, WorkBudget } from '../store/work-budget.ts'

/** Maximum size of an object in bytes; inflating it takes about a millisecond. */
const MAX_OBJECT_BYTES = 256 * 1024
/** Bytes that one read may inflate, bases of deltas included, and how long it may take. */
const MAX_WORK_BYTES = 4 << 20
const MAX_WORK_MS = 20
/** Maximum number of objects for one read, against deep paths. */
const MAX_READS = 64

class ReadTooLarge extends Error {}

class SmallReader implements ObjectReader {
  private reads = 0

  constructor(private readonly objects: ObjectReader) {}

  get shallowRoots(): ObjectReader['shallowRoots'] {
    return this.objects.shallowRoots
  }

  private check(oid: Oid): void {
    if (++this.reads > MAX_READS || (this.objects.header(oid)?.size ?? 0) > MAX_OBJECT_BYTES)
      throw new ReadTooLarge()
  }

  read(oid: Oid): GitObject | null {
    this.check(oid)
    return this.objects.read(oid)
  }

  view(oid: Oid): GitObject | null {
    this.check(oid)
    return this.objects.view ? this.objects.view(oid) : this.objects.read(oid)
  }

  readStart(oid: Oid, maxBytes: number): (GitObject & { readonly size: number }) | null {
    if (maxBytes > 0) this.check(oid)
    const header = this.objects.header(oid)
    if (header === null || maxBytes > 0) return this.objects.readStart?.(oid, maxBytes) ?? null
    return { ...header, data: new Uint8Array() }
  }

  header(oid: Oid): { type: ObjectType; size: number } | null {
    return this.objects.header(oid)
  }

  has(oid: Oid): boolean {
    return this.objects.has(oid)
  }
}

/**
 * Returns the result of `answer` on small objects, or else of `otherwise` on a thread. A small
 * object may be a delta of a large one, so what is inflated counts too.
 */
export async function readSmallOrDelegate<R>(
  objects: () => ObjectStore,
  answer: (db: ObjectReader) => R,
  otherwise: () => Promise<R>,
): Promise<R> {
  const store = objects()
  const { reader } = store
  reader.budget = new WorkBudget({ timeMs: MAX_WORK_MS, bytes: MAX_WORK_BYTES })
  try {
    return answer(new SmallReader(store))
  } catch (error) {
    if (!(error instanceof ReadTooLarge) && !(error instanceof BudgetExceeded)) throw error
  } finally {
    reader.budget = null
  }
  return await otherwise()
}
