/**
 * The order in which git's hash tables return their keys (hashmap.c). It decides in which order
 * files are compared, and so which of several equally good renames git chooses. Without it, results
 * could differ from git's.
 */
import type { PathKey } from '../history/names.ts'

/** FNV-1, 32 bits. */
function hash(key: PathKey): number {
  let value = 0x811c9dc5
  for (let i = 0; i < key.length; i++) value = Math.imul(value, 0x01000193) ^ key.charCodeAt(i)
  return value >>> 0
}

const FIRST_SIZE = 64
const GROWTH = 4

/** The keys in table order, after they were inserted in the given order. */
export function inHashOrder<T>(items: readonly T[], keyOf: (item: T) => PathKey): T[] {
  let size = FIRST_SIZE
  let table = new Map<number, T[]>()
  let count = 0
  const put = (item: T) => {
    const slot = hash(keyOf(item)) % size
    const list = table.get(slot)
    // New entries are inserted before those in the same slot.
    if (list) list.unshift(item)
    else table.set(slot, [item])
  }
  const all = () => [...table.entries()].sort(([a], [b]) => a - b).flatMap(([, list]) => list)
  for (const item of items) {
    put(item)
    if (++count <= Math.floor((size * 80) / 100)) continue
    const old = all()
    size *= GROWTH
    table = new Map()
    for (const moved of old) put(moved)
  }
  return all()
}
