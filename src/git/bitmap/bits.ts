/** Bit sets as arrays of 32-bit words. */
import { HEAP_TABLES, type Tables } from '../store/tables.ts'

export const bitWords = (count: number): number => ((count + 63) >>> 6) << 1

export const getBit = (bits: Uint32Array, at: number): boolean =>
  (bits[at >>> 5]! & (1 << (at & 31))) !== 0

export function setBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5]! |= 1 << (at & 31)
}

export function orInto(target: Uint32Array, other: Uint32Array): void {
  for (let i = 0; i < other.length; i++) target[i]! |= other[i]!
}

export function xorInto(target: Uint32Array, other: Uint32Array): void {
  for (let i = 0; i < other.length; i++) target[i]! ^= other[i]!
}

export function andNotInto(target: Uint32Array, other: Uint32Array): void {
  for (let i = 0; i < other.length; i++) target[i]! &= ~other[i]!
}

export function andInto(target: Uint32Array, other: Uint32Array): void {
  for (let i = 0; i < target.length; i++) target[i]! &= other[i] ?? 0
}

export function countBits(bits: Uint32Array): number {
  let count = 0
  for (let i = 0; i < bits.length; i++) {
    let word = bits[i]!
    word -= (word >>> 1) & 0x55555555
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return count
}

/** Returns the members in ascending order. */
export function listBits(bits: Uint32Array, tables: Tables = HEAP_TABLES): Uint32Array {
  const list = tables.allocate(Uint32Array, countBits(bits))
  let at = 0
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i]!; word !== 0; word &= word - 1)
      list[at++] = i * 32 + (31 - Math.clz32(word & -word))
  }
  return list
}
