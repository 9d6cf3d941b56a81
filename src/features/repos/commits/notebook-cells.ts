/** Pairs the cells of two versions of a notebook. */
import { diffText } from '#git'
import { sha256 } from '#lib/hash.ts'
import type { Cell } from '#lib/notebook.ts'

export type CellPair = { readonly before: Cell | null; readonly after: Cell | null }

/** What makes a cell the same one in both versions: its id, else its content. */
const keyOf = (cell: Cell): string => sha256(cell.id ?? `${cell.kind}\n${cell.source}`)

/** One line for each cell, so that the comparison of lines pairs the cells. */
const keysOf = (cells: readonly Cell[]): Uint8Array =>
  new TextEncoder().encode(cells.map((cell) => `${keyOf(cell)}\n`).join(''))

/** Pairs the cells that replaced each other at one place in order, when they are of one kind. */
function pairReplaced(removed: readonly Cell[], added: readonly Cell[]): CellPair[] {
  const left = [...added]
  const pairs = removed.map((before): CellPair => {
    const isPair = left[0]?.kind === before.kind
    return { before, after: isPair ? (left.shift() ?? null) : null }
  })
  return [...pairs, ...left.map((after) => ({ before: null, after }))]
}

/** The cells of both versions, in order. Equal cells without ids stay pairs when others moved. */
export function pairCells(before: readonly Cell[], after: readonly Cell[]): CellPair[] {
  const gone = new Set<number>()
  const fresh = new Set<number>()
  for (const { lines } of diffText(keysOf(before), keysOf(after))?.hunks ?? [])
    for (const line of lines) {
      if (line.kind === 'del') gone.add((line.old ?? 0) - 1)
      if (line.kind === 'add') fresh.add((line.new ?? 0) - 1)
    }
  const pairs: CellPair[] = []
  let [old, now] = [0, 0]
  while (old < before.length || now < after.length) {
    const [removed, added]: [Cell[], Cell[]] = [[], []]
    for (let cell = before[old]; cell && gone.has(old); cell = before[++old]) removed.push(cell)
    for (let cell = after[now]; cell && fresh.has(now); cell = after[++now]) added.push(cell)
    pairs.push(...pairReplaced(removed, added))
    if (old < before.length || now < after.length)
      pairs.push({ before: before[old++] ?? null, after: after[now++] ?? null })
  }
  return pairs
}
