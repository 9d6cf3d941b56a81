/**
 * Questions that are answered in less time than asking another thread takes, as long as the objects
 * are small: an entry, a directory, a small file. A reader refuses larger ones, and the question
 * goes to a thread.
 */
import type { GitObject, ObjectReader, ObjectType, Oid } from '../ports.ts'

/** Inflating this much takes about a millisecond. */
const SMALL = 256 * 1024
/** Objects that one question may read: a deep path is no small one. */
const MOST_READ = 64

class TooMuch extends Error {}

class SmallReader implements ObjectReader {
  private reads = 0

  constructor(private readonly objects: ObjectReader) {}

  private check(oid: Oid): void {
    if (++this.reads > MOST_READ || (this.objects.header(oid)?.size ?? 0) > SMALL)
      throw new TooMuch()
  }

  read(oid: Oid): GitObject | null {
    this.check(oid)
    return this.objects.read(oid)
  }

  view(oid: Oid): GitObject | null {
    this.check(oid)
    return this.objects.view ? this.objects.view(oid) : this.objects.read(oid)
  }

  header(oid: Oid): { type: ObjectType; size: number } | null {
    return this.objects.header(oid)
  }

  has(oid: Oid): boolean {
    return this.objects.has(oid)
  }
}

/** The answer from small objects, or that of a thread. */
export async function quickly<R>(
  objects: () => ObjectReader,
  answer: (db: ObjectReader) => R,
  otherwise: () => Promise<R>,
): Promise<R> {
  try {
    return answer(new SmallReader(objects()))
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error
  }
  return await otherwise()
}
