/**
 * The key exchange `mlkem768x25519-sha256` (draft-ietf-sshm-mlkem-hybrid-kex), which recorded
 * connections stay secret with when there are quantum computers. OpenSSH prefers it since 10.0, and
 * warns without it since 10.1. ssh2 1.17 does not have it, so its exchange with Curve25519 is
 * changed before it begins: the values that both sides send and the secret are other ones, and all
 * else is the same. `test/ssh/post-quantum.test.ts` fails when ssh2 works otherwise.
 */
import { createHash, createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto'
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js'
import type { Connection } from 'ssh2'

const NAME = 'mlkem768x25519-sha256'
const POINT_BYTES = 32
const ENCAPSULATION_KEY_BYTES = 1184
const SEED_BYTES = 32
const MODULUS = 3329
/** The SPKI form of an X25519 key without its point (RFC 8410). */
const X25519_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')
/** A list of key exchanges in a KEXINIT message, after its type and cookie (RFC 4253 section 7.1). */
const KEX_LIST_AT = 17

/** What ssh2 holds of one exchange. */
type KeyExchange = {
  type: string
  readonly negotiated: { kex: string }
  readonly _remoteKexinit: Uint8Array
  convertPublicKey(key: Buffer): Buffer
  computeSecret(clientKey: Buffer): Buffer | Error
  getPublicKey(): Buffer
}
type Offer = {
  readonly lists: { readonly kex: { readonly array: readonly string[] }; readonly all: Buffer }
  readonly totalSize: number
  copyAllTo(to: Buffer, at: number): number
}
type Protocol = { _offer: Offer; _kex: KeyExchange | undefined }

/**
 * Offers the exchange on a connection that has not sent its list yet. It comes after the first
 * entry, because ssh2 takes the first packet of clients that guess for wrong unless it knows the
 * name. Which one is used is the client's choice.
 */
export function offerPostQuantum(connection: Connection): void {
  const protocol = (connection as unknown as { _protocol: Protocol })._protocol
  const offer = protocol._offer
  protocol._offer = withName(offer)
  let current: KeyExchange | undefined
  Object.defineProperty(protocol, '_kex', {
    get: () => current,
    set: (next: KeyExchange | undefined) => {
      current = next
      if (next && prefersHybrid(next, offer.lists.kex.array)) makeHybrid(next)
    },
  })
}

/** The same offer, with the name in what is sent and without it in what ssh2 chooses from. */
function withName(offer: Offer): Offer {
  const [first = '', ...rest] = offer.lists.kex.array
  const names = Buffer.from([first, NAME, ...rest].join(','))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(names.length)
  const known = offer.lists.all
  const sent = Buffer.concat([length, names, known.subarray(4 + known.readUInt32BE(0))])
  return {
    lists: offer.lists,
    totalSize: sent.length,
    copyAllTo: (to, at) => sent.copy(to, at),
  }
}

/** Whether the client names this exchange before every other that both sides have. */
function prefersHybrid({ _remoteKexinit }: KeyExchange, ours: readonly string[]): boolean {
  const message = Buffer.from(_remoteKexinit)
  const start = KEX_LIST_AT + 4
  const names = message
    .subarray(start, start + message.readUInt32BE(KEX_LIST_AT))
    .toString('latin1')
    .split(',')
  return names.find((name) => name === NAME || ours.includes(name)) === NAME
}

/** ssh2 asks for the secret first, and then for what is sent to the client. */
function makeHybrid(exchange: KeyExchange): void {
  let reply: Buffer = Buffer.alloc(0)
  exchange.negotiated.kex = NAME
  exchange.convertPublicKey = (key) => key
  exchange.getPublicKey = () => reply
  exchange.computeSecret = (clientKey) => {
    try {
      const answer = answerTo(clientKey)
      reply = answer.reply
      return answer.secret
    } catch (error) {
      return error as Error
    }
  }
}

/**
 * The check of an encapsulation key (FIPS 203 section 7.2), which version 0.5.4 of the library has
 * without effect: two coefficients in three bytes, each below the modulus.
 */
function requireReduced(coefficients: Uint8Array): void {
  for (let at = 0; at + 2 < coefficients.length; at += 3) {
    const [a = 0, b = 0, c = 0] = coefficients.subarray(at, at + 3)
    if ((a | ((b & 15) << 8)) >= MODULUS || ((b >> 4) | (c << 4)) >= MODULUS)
      throw new Error('a coefficient is not below the modulus')
  }
}

/** Throws for a key that is malformed. `diffieHellman` throws for points of small order. */
function answerTo(clientKey: Buffer): { readonly reply: Buffer; readonly secret: Buffer } {
  if (clientKey.length !== ENCAPSULATION_KEY_BYTES + POINT_BYTES)
    throw new Error(`a key of ${clientKey.length} bytes`)
  requireReduced(clientKey.subarray(0, ENCAPSULATION_KEY_BYTES - SEED_BYTES))
  const lattice = ml_kem768.encapsulate(clientKey.subarray(0, ENCAPSULATION_KEY_BYTES))
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const point = clientKey.subarray(ENCAPSULATION_KEY_BYTES)
  const curve = diffieHellman({
    privateKey,
    publicKey: createPublicKey({
      key: Buffer.concat([X25519_PREFIX, point]),
      format: 'der',
      type: 'spki',
    }),
  })
  const own = publicKey.export({ format: 'der', type: 'spki' }).subarray(-POINT_BYTES)
  return {
    reply: Buffer.concat([lattice.cipherText, own]),
    secret: createHash('sha256').update(lattice.sharedSecret).update(curve).digest(),
  }
}
