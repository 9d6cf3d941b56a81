/**
 * IP addresses, blocks of them, and which of them are public. Addresses that users name (webhooks,
 * imports, documents of applications) must be public, so that no user reaches the network of the
 * server.
 *
 * The lists follow the registries of special-purpose addresses (RFC 6890;
 * https://www.iana.org/assignments/iana-ipv4-special-registry and iana-ipv6-special-registry).
 */
import { isIP } from 'node:net'

/** An address as its 4 or 16 bytes. */
export type Address = Uint8Array

/** Parses an address without brackets; null for other texts and for one with a zone (`%eth0`). */
export function parseAddress(text: string): Address | null {
  const version = isIP(text)
  if (version === 0 || text.includes('%')) return null
  if (version === 4) return Uint8Array.from(text.split('.'), Number)
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  const [a = 0, b = 0, c = 0, d = 0] = dotted ? (dotted[2] ?? '').split('.').map(Number) : []
  const groups = dotted
    ? `${dotted[1]}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
    : text
  const [head = '', tail] = groups.split('::')
  const words = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16))
  const [before, after] = [words(head), tail === undefined ? [] : words(tail)]
  const all = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
  return Uint8Array.from(all.flatMap((word) => [word >> 8, word & 255]))
}

/** A block of addresses: all with the same first `bits` bits (CIDR). */
export type Block = { readonly address: Address; readonly bits: number }

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address; null for other texts. */
export function parseBlock(text: string): Block | null {
  const [start = '', length, ...rest] = text.split('/')
  const address = parseAddress(start)
  if (!address || rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length)))
    return null
  const maxBits = address.length * 8
  const bits = length === undefined ? maxBits : Number(length)
  return bits > maxBits ? null : { address, bits }
}

export function inBlock(address: Address, block: Block): boolean {
  if (address.length !== block.address.length) return false
  for (let i = 0; i * 8 < block.bits; i++) {
    const mask = block.bits - i * 8 >= 8 ? 255 : 256 - (1 << (8 - (block.bits - i * 8)))
    if (((address[i] ?? 0) & mask) !== ((block.address[i] ?? 0) & mask)) return false
  }
  return true
}

const blocks = (text: string): readonly Block[] =>
  text
    .trim()
    .split(/\s+/)
    .map((one) => {
      const block = parseBlock(one)
      if (!block) throw new TypeError(`not a block of addresses: ${one}`)
      return block
    })

const NOT_PUBLIC_4 =
  blocks(`0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`)
/** Global unicast. Blocks that wrap IPv4 addresses (mapped, NAT64) are outside or listed below. */
const PUBLIC_6 = blocks('2000::/3')
const NOT_PUBLIC_6 = blocks('2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20')

/** Whether an address is globally reachable. */
export function isPublicAddress(address: Address): boolean {
  const within = (list: readonly Block[]): boolean => list.some((block) => inBlock(address, block))
  return address.length === 4 ? !within(NOT_PUBLIC_4) : within(PUBLIC_6) && !within(NOT_PUBLIC_6)
}

/**
 * The network of an address: by default the IPv4 address itself, or the /64 network of an IPv6
 * address, which one subscriber has alone. Null when the address is unknown.
 */
export function networkOf(text: string | null, bits4 = 32, bits6 = 64): string | null {
  const address = text === null ? null : parseAddress(text.replace(/^::ffff:(?=\d+\.)/i, ''))
  if (address === null) return null
  const is4 = address.length === 4
  const prefix = Buffer.from(address.subarray(0, (is4 ? bits4 : bits6) / 8)).toString('hex')
  return `${is4 ? 'a' : 'b'}${prefix}`
}

const MAX_PROXY_HOPS = 20

/** Whether an address is in one of the blocks. An IPv4-mapped IPv6 address counts as IPv4. */
export function isAmong(text: string, blocks: readonly Block[]): boolean {
  const address = parseAddress(text.replace(/^::ffff:(?=\d+\.)/i, ''))
  return address !== null && blocks.some((block) => inBlock(address, block))
}

/**
 * The address of a client behind trusted proxies: the last address of `X-Forwarded-For` that is no
 * trusted proxy. The addresses before it come from the client and may be forged. Null when unknown.
 */
export function clientAddress(
  peer: string | null,
  forwarded: string | null,
  trusted: readonly Block[],
): string | null {
  const isTrusted = (text: string): boolean => isAmong(text, trusted)
  if (peer === null || forwarded === null || trusted.length === 0 || !isTrusted(peer)) return peer
  let client = peer
  for (const hop of forwarded.split(',').slice(-MAX_PROXY_HOPS).reverse()) {
    const text = hop.trim().replace(/^\[|\](:\d+)?$/g, '')
    if (parseAddress(text) === null) break
    client = text
    if (!isTrusted(text)) break
  }
  return client
}
