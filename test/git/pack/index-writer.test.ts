import { expect, test } from 'bun:test'
import { sortOids } from '../../../src/git/pack/index-writer.ts'
import { random } from '../support/history.ts'

const bytesOf = (next: () => number, size: number) =>
  Uint8Array.from({ length: size }, () => Math.floor(next() * 256))

test('ids are sorted bytewise, also when many have the same first bytes', () => {
  const next = random(4)
  const count = 3000
  const oids = bytesOf(next, count * 20)
  for (let i = 0; i < 500; i++) oids[i * 20] = oids[i * 20 + 1] = 7
  const order = sortOids(oids, count)
  const sorted = Array.from(order, (row) =>
    Buffer.from(oids.subarray(row * 20, row * 20 + 20)).toString('hex'),
  )
  expect(sorted).toEqual([...sorted].sort())
  expect(new Set(order).size).toBe(count)
})
