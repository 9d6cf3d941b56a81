import { expect, test } from 'bun:test'
import { placeOf } from '#features/devices/code-guard.ts'

test('a place is an IPv4 address, or the IPv6 network that one person has', () => {
  expect(placeOf('203.0.113.7')).not.toBe(placeOf('203.0.113.8'))
  expect(placeOf('::ffff:203.0.113.7')).toBe(placeOf('203.0.113.7'))
  expect(placeOf('2001:db8:1:2::1')).toBe(placeOf('2001:db8:1:2:ffff::9'))
  expect(placeOf('2001:db8:1:2::1')).not.toBe(placeOf('2001:db8:1:3::1'))
  expect([placeOf(null), placeOf('unknown')]).toEqual([null, null])
})
