/** Compares two ids that begin at these positions: less than 0 when the first is lower. */
export function compareOids(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number): number {
  for (let i = 0; i < 20; i++) {
    const order = a[aAt + i]! - b[bAt + i]!
    if (order !== 0) return order
  }
  return 0
}
