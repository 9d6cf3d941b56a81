import { expect, test } from 'bun:test'
import {
  clientAddress,
  inBlock,
  isPublicAddress,
  networkOf,
  parseAddress,
  parseBlock,
} from '#lib/net.ts'

const address = (text: string) => {
  const parsed = parseAddress(text)
  if (!parsed) throw new Error(text)
  return parsed
}
const block = (text: string) => {
  const parsed = parseBlock(text)
  if (!parsed) throw new Error(text)
  return parsed
}

test('addresses are parsed in every form, and other texts are not', () => {
  expect([...address('192.0.2.1')]).toEqual([192, 0, 2, 1])
  expect(Buffer.from(address('::1')).toString('hex')).toBe('00000000000000000000000000000001')
  expect(Buffer.from(address('2001:db8::8a2e:370:7334')).toString('hex')).toBe(
    '20010db80000000000008a2e03707334',
  )
  expect(Buffer.from(address('::ffff:192.0.2.1')).toString('hex')).toBe(
    '00000000000000000000ffffc0000201',
  )
  expect(Buffer.from(address('::')).toString('hex')).toBe('0'.repeat(32))
  for (const text of [
    '',
    'localhost',
    '1.2.3',
    '0x7f.1',
    '127.1',
    '1.2.3.4.5',
    '01.2.3.4',
    ':::',
    'fe80::1%eth0',
    '[::1]',
    '1.2.3.4 ',
  ])
    expect(parseAddress(text)).toBeNull()
})

test('a block contains the addresses with its first bits', () => {
  expect(inBlock(address('10.255.0.1'), block('10.0.0.0/8'))).toBe(true)
  expect(inBlock(address('11.0.0.1'), block('10.0.0.0/8'))).toBe(false)
  expect(inBlock(address('100.127.255.255'), block('100.64.0.0/10'))).toBe(true)
  expect(inBlock(address('100.128.0.0'), block('100.64.0.0/10'))).toBe(false)
  expect(inBlock(address('fd12::1'), block('fc00::/7'))).toBe(true)
  expect(inBlock(address('10.0.0.1'), block('::/0'))).toBe(false)
  for (const text of ['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/-1', 'x/8', '10.0.0.0/8/8'])
    expect(parseBlock(text)).toBeNull()
})

test('only globally reachable addresses are public', () => {
  for (const text of [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
    '2003::1',
  ]) {
    expect([text, isPublicAddress(address(text))]).toEqual([text, true])
  }
  const inside = `0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1
    198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 ::8.8.8.8 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 2001::1 2001:1::1 2001:db8::1 2002:7f00:1::1 3fff::1 fc00::1 fd00::1 fe80::1 fec0::1 ff02::1 5f00::1`
  for (const text of inside.trim().split(/\s+/))
    expect([text, isPublicAddress(address(text))]).toEqual([text, false])
})

test('forwarded addresses count from trusted proxies only, and the last untrusted one is the client', () => {
  const trusted = [block('10.0.0.0/8')]
  expect(clientAddress('203.0.113.9', '1.2.3.4', trusted)).toBe('203.0.113.9')
  expect(clientAddress('10.0.0.1', '1.2.3.4', [])).toBe('10.0.0.1')
  expect(clientAddress('10.0.0.1', '1.2.3.4', trusted)).toBe('1.2.3.4')
  expect(clientAddress('::ffff:10.0.0.1', '1.2.3.4', trusted)).toBe('1.2.3.4')
  // The client may write what it likes before what our proxy added.
  expect(clientAddress('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', trusted)).toBe('1.2.3.4')
  expect(clientAddress('10.0.0.1', 'nonsense', trusted)).toBe('10.0.0.1')
  expect(clientAddress('10.0.0.1', null, trusted)).toBe('10.0.0.1')
  expect(clientAddress(null, '1.2.3.4', trusted)).toBeNull()
})

test('a network is an IPv4 address or an IPv6 /64, unless said', () => {
  expect(networkOf('203.0.113.7')).not.toBe(networkOf('203.0.113.8'))
  expect(networkOf('203.0.113.7', 24)).toBe(networkOf('203.0.113.8', 24))
  expect(networkOf('::ffff:203.0.113.7')).toBe(networkOf('203.0.113.7'))
  expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:db8:1:2:ffff::9'))
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'))
  expect(networkOf('2001:db8:1:2::1', 32, 48)).toBe(networkOf('2001:db8:1:3::1', 32, 48))
  expect([networkOf(null), networkOf('unknown'), networkOf('')]).toEqual([null, null, null])
})
