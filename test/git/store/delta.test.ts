import { expect, test } from 'bun:test'
import { applyDelta, deltaSizes } from '../../../src/git/store/delta.ts'
import { insertDelta } from '../support/packs.ts'

test('a complete delta is applied, and every truncated one is rejected', () => {
  const base = Buffer.from('0123456789'.repeat(20))
  const delta = insertDelta(base.length, 'a result that is inserted')
  const { result, start } = deltaSizes(delta, 0, delta.length)
  const out = Buffer.alloc(result)
  applyDelta(base, 0, base.length, delta, start, delta.length, out, 0, result)
  expect(Buffer.from(out).toString()).toBe('a result that is inserted')
  for (let end = start; end < delta.length; end++) {
    expect(() => applyDelta(base, 0, base.length, delta, start, end, out, 0, result)).toThrow()
  }
})
