/**
 * Writing certificate requests (PKCS #10, RFC 2986) and certificates that sign themselves (RFC
 * 5280), with keys on the curve P-256. Only what a client of a certificate authority needs; reading
 * is left to the runtime.
 */
import { sign, X509Certificate, type KeyObject, createPublicKey } from 'node:crypto'

const length = (size: number): Buffer => {
  if (size < 128) return Buffer.from([size])
  const bytes = Buffer.from(
    size.toString(16).padStart(size > 0xffff ? 6 : size > 0xff ? 4 : 2, '0'),
    'hex',
  )
  return Buffer.concat([Buffer.from([128 + bytes.length]), bytes])
}

/** One value of DER (X.690): its kind, its length, its content. */
function value(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag]), length(body.length), body])
}

const sequence = (...content: Uint8Array[]): Buffer => value(0x30, ...content)
const setOf = (...content: Uint8Array[]): Buffer => value(0x31, ...content)
const octets = (content: Uint8Array): Buffer => value(0x04, content)
const bits = (content: Uint8Array): Buffer => value(0x03, Buffer.from([0]), content)
const integer = (content: Uint8Array): Buffer => value(0x02, content)

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const groups = [first * 40 + second, ...rest].flatMap((number) => {
    const digits = [number & 127]
    for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 127) | 128)
    return digits
  })
  return value(0x06, Buffer.from(groups))
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const SUBJECT_ALT_NAME = '2.5.29.17'
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const ACME_IDENTIFIER = '1.3.6.1.5.5.7.1.31'
const COMMON_NAME = '2.5.4.3'
const TRUE = value(0x01, Buffer.from([0xff]))

const extension = (id: string, content: Uint8Array, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [TRUE] : []), octets(content))
const altNames = (names: readonly string[]): Buffer =>
  extension(
    SUBJECT_ALT_NAME,
    sequence(...names.map((name) => value(0x82, Buffer.from(name, 'latin1')))),
  )
const publicPart = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ type: 'spki', format: 'der' })
const signed = (content: Buffer, key: KeyObject): Buffer =>
  sequence(content, ECDSA_SHA256, bits(sign('sha256', content, key)))
const pem = (what: string, der: Buffer): string =>
  `-----BEGIN ${what}-----\n${(der.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${what}-----\n`

/** A certificate request in DER. The names are in the extension `subjectAltName` only. */
export function certificateRequest(names: readonly string[], key: KeyObject): Buffer {
  const attributes = value(0xa0, sequence(oid(EXTENSION_REQUEST), setOf(sequence(altNames(names)))))
  return signed(sequence(integer(Buffer.from([0])), sequence(), publicPart(key), attributes), key)
}

/** `20260301120000Z`. */
const generalized = (ms: number): Buffer =>
  value(
    0x18,
    Buffer.from(
      `${new Date(ms)
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(0, 14)}Z`,
    ),
  )

export type SelfSigned = {
  readonly names: readonly string[]
  readonly key: KeyObject
  readonly from: number
  readonly until: number /** SHA-256 for the challenge of RFC 8737. */
  readonly challenge?: Uint8Array
}

/** A self-signed certificate in PEM, used before the first real one and for challenges. */
export function selfSigned({ names, key, from, until, challenge }: SelfSigned): string {
  const name = sequence(
    setOf(
      sequence(oid(COMMON_NAME), value(0x0c, Buffer.from((names[0] ?? 'hearth').slice(0, 64)))),
    ),
  )
  const serial = crypto.getRandomValues(new Uint8Array(16))
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 1
  const extensions = [
    altNames(names),
    ...(challenge ? [extension(ACME_IDENTIFIER, octets(challenge), true)] : []),
  ]
  const content = sequence(
    value(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_SHA256,
    name,
    sequence(generalized(from), generalized(until)),
    name,
    publicPart(key),
    value(0xa3, sequence(...extensions)),
  )
  return pem('CERTIFICATE', signed(content, key))
}

/** The validity in milliseconds since 1970 and the names of a PEM certificate. Throws an Error. */
export function readDates(cert: string): { from: number; until: number; names: string[] } {
  const { validFrom, validTo, subjectAltName } = new X509Certificate(cert)
  return {
    from: Date.parse(validFrom),
    until: Date.parse(validTo),
    names: (subjectAltName ?? '')
      .split(', ')
      .filter((name) => name.startsWith('DNS:'))
      .map((name) => name.slice(4)),
  }
}
