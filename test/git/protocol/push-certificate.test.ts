import { expect, test } from 'bun:test'
import { GitError } from '#git'
import { BodyReader } from '../../../src/git/protocol/body.ts'
import { pkt } from '../../../src/git/protocol/pkt-line.ts'
import {
  MAX_CERTIFICATE_BYTES,
  parseCertificate,
  readCertificate,
} from '../../../src/git/protocol/push-certificate.ts'

const ZERO = '0'.repeat(40)
const ONE = '1'.repeat(40)
const signature = '-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n'
const header = [
  'certificate version 0.1',
  'pusher SHA256:abc 1700000000 +0000',
  'pushee https://git.example.com/acme/site.git',
  'nonce 12-ab',
]
const text = ({ fields = header, commands = [`${ZERO} ${ONE} refs/heads/main`] } = {}): string =>
  `${fields.join('\n')}\n\n${commands.map((line) => `${line}\n`).join('')}${signature}`

const faultOf = (content: string | Uint8Array): string => {
  try {
    parseCertificate(Buffer.from(content))
  } catch (error) {
    if (error instanceof GitError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'none'
}

test('a certificate is its fields, its commands and its signature', () => {
  const fields = [...header, 'push-option a', 'push-option b c', 'later thing']
  const commands = [`${ZERO} ${ONE} refs/heads/main`, `${ONE} ${ZERO} refs/heads/old`]
  const all = text({ fields, commands })
  expect(parseCertificate(Buffer.from(all))).toEqual({
    certificate: {
      pusher: 'SHA256:abc 1700000000 +0000',
      pushee: 'https://git.example.com/acme/site.git',
      nonce: '12-ab',
      options: ['a', 'b c'],
      signed: all.slice(0, all.indexOf('-----BEGIN')),
      signature,
    },
    commands,
  })
})

test('what is not whole, or says a thing twice, is refused', () => {
  expect(faultOf(text())).toBe('none')
  expect(faultOf('')).toContain('has no signature')
  expect(faultOf(text().replace(signature, ''))).toContain('has no signature')
  expect(faultOf(text({ fields: ['certificate version 0.2', ...header.slice(1)] }))).toContain(
    'is not of the form',
  )
  expect(faultOf(text({ fields: header.slice(0, 1) }))).toContain('does not name its pusher')
  expect(faultOf(text({ fields: [...header, 'nonce 13-cd'] }))).toContain('has nonce twice')
  expect(faultOf(`${header.join('\n')}\n${signature}`)).toContain('names no refs')
  expect(faultOf(text() + 'A'.repeat(70_000))).toContain('a signature that is too long')
  const bytes = Buffer.from(text())
  bytes[bytes.indexOf('main')] = 0xff
  expect(faultOf(bytes)).toContain('is not UTF-8')
})

test('reading ends at the limit, and at the end of the request', async () => {
  const read = (...lines: string[]) =>
    readCertificate(new BodyReader(Buffer.concat(lines.map((line) => pkt(line)))))
  const lines = text()
    .split(/(?<=\n)/)
    .filter((line) => line !== '')
  expect((await read(...lines, 'push-cert-end\n')).commands).toHaveLength(1)
  expect((await read(...lines, 'push-cert-end')).commands).toHaveLength(1)
  expect(read(...lines)).rejects.toThrow('is cut off')
  const long = 'x'.repeat(60_000)
  const many = Array.from(
    { length: Math.ceil(MAX_CERTIFICATE_BYTES / long.length) + 1 },
    () => long,
  )
  expect(read(...many, 'push-cert-end\n')).rejects.toThrow('push fewer refs at once')
})

test('generated certificates are read or refused, never more', () => {
  const base = text()
  let seed = 7
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below
  for (let round = 0; round < 20_000; round++) {
    const bytes = Buffer.from(base)
    const kept = bytes.subarray(0, random(4) === 0 ? random(bytes.length) : bytes.length)
    for (let change = random(4); change > 0 && kept.length > 0; change--)
      kept[random(kept.length)] = [0, 10, 32, 45, 255, 48][random(6)]!
    expect(faultOf(kept)).toMatch(/^(none|invalid: the push certificate )/)
  }
})
