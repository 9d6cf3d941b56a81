/**
 * Allocates tables that grow with a store. Readers have them on the heap; maintenance bounds its
 * heap and maps temporary files beyond it (`tasks/table-memory.ts`).
 */
export type Table = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

export type TableKind<T extends Table> = {
  new (length: number): T
  new (buffer: ArrayBuffer): T
  readonly BYTES_PER_ELEMENT: number
}

export type Tables = {
  /** Returns a table of zeros. */
  allocate<T extends Table>(kind: TableKind<T>, length: number): T
  /** Ends the use of a table. Its content is gone. */
  release(table: Table): void
}

export const HEAP_TABLES: Tables = {
  allocate: (Kind, length) => new Kind(length),
  release: () => {},
}

/** Returns a longer table that begins with the content of `table`, and releases the latter. */
export function growTable<T extends Table>(tables: Tables, table: T, length: number): T {
  const grown = tables.allocate(table.constructor as TableKind<T>, length)
  grown.set(table)
  tables.release(table)
  return grown
}
