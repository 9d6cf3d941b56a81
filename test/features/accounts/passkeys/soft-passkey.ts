/**
 * A software authenticator. It creates a P-256 credential and signs with it (Web Authentication
 * sections 6.1, 6.5 and 8.7), so the server is tested with valid and with manipulated responses.
 */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

type Cbor = number | string | Uint8Array | Map<number | string, Cbor>

/** The part of CBOR (RFC 8949) that an attestation needs. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, size: number): Buffer =>
    size < 24
      ? Buffer.from([(major << 5) | size])
      : size < 256
        ? Buffer.from([(major << 5) | 24, size])
        : Buffer.from([(major << 5) | 25, size >> 8, size & 255])
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Map)
    return Buffer.concat([
      head(5, value.size),
      ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)]),
    ])
  return Buffer.concat([head(2, value.length), value])
}

const sha = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

type Change = {
  origin?: string
  rpId?: string
  verified?: boolean
  challenge?: string
  counter?: number
  spoil?: boolean
}

export function softPasskey(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  let counter = 0
  const client = (type: string, challenge: string, change: Change): Buffer =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: change.challenge ?? challenge,
        origin: change.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const head = (flags: number, rpId: string, change: Change): Buffer => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(change.counter ?? ++counter)
    return Buffer.concat([
      sha(change.rpId ?? rpId),
      Buffer.from([flags | (change.verified === false ? 0 : 4)]),
      count,
    ])
  }
  return {
    id: text(id),
    /** Responds to registration options. */
    make(options: string, change: Change = {}): string {
      const { challenge, rp } = JSON.parse(options) as { challenge: string; rp: { id: string } }
      const key = cbor(
        new Map<number, Cbor>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(jwk.x ?? '', 'base64url')],
          [-3, Buffer.from(jwk.y ?? '', 'base64url')],
        ]),
      )
      const authData = Buffer.concat([
        head(0x41, rp.id, { ...change, counter: 0 }),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        key,
      ])
      const attestationObject = cbor(
        new Map<string, Cbor>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authData],
        ]),
      )
      return JSON.stringify({
        id: text(id),
        rawId: text(id),
        type: 'public-key',
        clientExtensionResults: {},
        authenticatorAttachment: 'platform',
        response: {
          clientDataJSON: text(client('webauthn.create', challenge, change)),
          attestationObject: text(attestationObject),
          transports: ['internal'],
        },
      })
    },
    /** Responds to sign-in options. */
    show(options: string, change: Change = {}): string {
      const { challenge, rpId } = JSON.parse(options) as { challenge: string; rpId: string }
      const data = client('webauthn.get', challenge, change)
      const authData = head(0x01, rpId, change)
      const signature = createSign('SHA256')
        .update(Buffer.concat([authData, sha(data)]))
        .sign(privateKey)
      if (change.spoil) signature.writeUInt8((signature.at(-1) ?? 0) ^ 1, signature.length - 1)
      return JSON.stringify({
        id: text(id),
        rawId: text(id),
        type: 'public-key',
        clientExtensionResults: {},
        authenticatorAttachment: 'platform',
        response: {
          clientDataJSON: text(data),
          authenticatorData: text(authData),
          signature: text(signature),
        },
      })
    },
  }
}
