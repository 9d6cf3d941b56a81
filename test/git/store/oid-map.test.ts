import { expect, test } from 'bun:test'
import { OidMap } from '../../../src/git/store/oid-map.ts'
import { random } from '../support/history.ts'

const bytesOf = (next: () => number, size: number) =>
  Uint8Array.from({ length: size }, () => Math.floor(next() * 256))

test('ids keep their numbers while the table grows', () => {
  const next = random(9)
  const map = new OidMap()
  const oids = Array.from({ length: 5000 }, () => bytesOf(next, 20))
  oids.forEach((oid, i) => expect(map.add(oid, 0)).toBe(i))
  oids.forEach((oid, i) => {
    expect(map.get(oid, 0)).toBe(i)
    expect(map.add(oid, 0)).toBe(i)
    expect(map.added).toBe(false)
    expect(map.hex(i)).toBe(Buffer.from(oid).toString('hex'))
  })
  expect(map.get(bytesOf(next, 20), 0)).toBe(-1)
})
