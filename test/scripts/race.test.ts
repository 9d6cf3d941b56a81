import { describe, expect, test } from 'bun:test'
import { linearize, type Event } from '../system/race/linear.ts'

const [a, b, c] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)]
const read = (began: number, ended: number, ...saw: (string | null)[]): Event => ({
  kind: 'read',
  began,
  ended,
  saw,
})
const push = (
  began: number,
  ended: number,
  ref: number,
  old: string | null,
  to: string | null,
  moved: boolean | null,
): Event => ({
  kind: 'push',
  began,
  ended,
  moves: [{ ref, old, to }],
  atomic: false,
  moved: moved === null ? null : [moved],
})
const both = (
  began: number,
  ended: number,
  to: string,
  atomic: boolean,
  moved: boolean[],
): Event => ({
  kind: 'push',
  began,
  ended,
  atomic,
  moved,
  moves: [
    { ref: 0, old: null, to },
    { ref: 1, old: null, to },
  ],
})
const fits = (...events: Event[]): boolean => linearize(events, [null, null]).fits

describe('an order of what clients did and saw', () => {
  test('is found where there is one', () => {
    expect(
      fits(
        push(0, 2, 0, null, a, true),
        push(1, 3, 0, null, b, false),
        read(4, 5, a, null),
        push(6, 7, 0, a, null, true),
        read(8, 9, null, null),
      ),
    ).toBe(true)
    // What overlaps may have come in any order.
    expect(fits(push(0, 9, 0, null, a, true), read(1, 2, null, null), read(3, 4, a, null))).toBe(
      true,
    )
    expect(fits(push(0, 9, 0, a, b, true), push(0, 9, 0, null, a, true), read(0, 9, b, null))).toBe(
      true,
    )
  })

  test('is not found where somebody read what was past, or is still to come', () => {
    expect(fits(push(0, 1, 0, null, a, true), read(2, 3, null, null))).toBe(false)
    expect(fits(read(0, 1, a, null), push(2, 3, 0, null, a, true))).toBe(false)
    expect(fits(push(0, 9, 0, null, a, true), read(1, 2, a, null), read(3, 4, null, null))).toBe(
      false,
    )
  })

  test('is not found where two were first, or nobody was', () => {
    expect(fits(push(0, 5, 0, null, a, true), push(1, 6, 0, null, b, true))).toBe(false)
    expect(fits(push(0, 5, 0, null, a, false), push(1, 6, 0, null, b, false))).toBe(false)
    expect(fits(push(0, 1, 0, null, a, true), push(2, 3, 0, a, b, true), read(4, 5, a, null))).toBe(
      false,
    )
  })

  test('takes what was never answered as done or not, but not as both, and not after its end', () => {
    expect(fits(push(0, 3, 0, null, a, null), read(4, 5, a, null))).toBe(true)
    expect(fits(push(0, 3, 0, null, a, null), read(4, 5, null, null))).toBe(true)
    expect(fits(push(0, 3, 0, null, a, null), read(4, 5, a, null), read(6, 7, null, null))).toBe(
      false,
    )
    expect(fits(push(0, 3, 0, null, a, null), read(4, 5, null, null), read(6, 7, a, null))).toBe(
      false,
    )
  })

  test('knows no half of an atomic push, and half of another one', () => {
    expect(fits(both(0, 5, c, true, [true, true]), read(1, 2, c, null))).toBe(false)
    expect(fits(push(0, 1, 1, null, a, true), both(2, 3, c, true, [true, false]))).toBe(false)
    expect(
      fits(push(0, 1, 1, null, a, true), both(2, 3, c, true, [false, false]), read(4, 5, null, a)),
    ).toBe(true)
    expect(
      fits(push(0, 1, 1, null, a, true), both(2, 3, c, false, [true, false]), read(4, 5, c, a)),
    ).toBe(true)
  })

  test('says how far it came', () => {
    const verdict = linearize([push(0, 1, 0, null, a, true), read(2, 3, null, null)], [null, null])
    expect(verdict).toMatchObject({ fits: false, at: 1 })
  })
})
