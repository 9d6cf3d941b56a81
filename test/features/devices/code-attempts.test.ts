import { expect, test } from 'bun:test'
import { networkOf } from '#features/devices/code-attempts.ts'

test('a network is an IPv4 address or an IPv6 /64', () => {
  expect(networkOf('203.0.113.7')).not.toBe(networkOf('203.0.113.8'))
  expect(networkOf('::ffff:203.0.113.7')).toBe(networkOf('203.0.113.7'))
  expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:db8:1:2:ffff::9'))
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'))
  expect([networkOf(null), networkOf('unknown')]).toEqual([null, null])
})
