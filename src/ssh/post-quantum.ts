/**
 * The key exchange `mlkem768x25519-sha256` (draft-ietf-sshm-mlkem-hybrid-kex), which recorded
 * connections stay secret with when there are quantum computers. OpenSSH prefers it since 10.0, and
 * warns without it since 10.1. ssh2 1.17 does not have it, so its exchange with Curve25519 is
 * changed before it begins: the values that both sides send and the secret are other ones, and all
 * else is the same. `test/ssh/post-quantum.test.ts` fails when ssh2 works otherwise.
 */
import { createHash, createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto'
import type { Connection } from 'ssh2'
import { LIST, namesOfOther, protocolOf, sendingLists, type KeyExchange } from './key-exchange.ts'

const NAME = 'mlkem768x25519-sha256'
const POINT_BYTES = 32
const ENCAPSULATION_KEY_BYTES = 1184
/** The SPKI form of an X25519 key without its point (RFC 8410). */
const X25519_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')

/**
 * Offers the exchange on a connection that has not sent its list yet. It comes after the first
 * entry, because ssh2 takes the first packet of clients that guess for wrong unless it knows the
 * name. Which one is used is the client's choice.
 */
export function offerPostQuantum(connection: Connection): void {
  const protocol = protocolOf(connection)
  const [first = '', ...rest] = protocol._offer.lists.kex.array
  protocol._offer = sendingLists(protocol._offer, { [LIST.kex]: [first, NAME, ...rest] })
}

/** Makes an exchange that has begun this one, where the client wants it. */
export function answerPostQuantum(connection: Connection, exchange: KeyExchange): void {
  const ours = protocolOf(connection)._offer.lists.kex.array
  const chosen = namesOfOther(exchange, LIST.kex).find(
    (name) => name === NAME || ours.includes(name),
  )
  if (chosen === NAME) makeHybrid(connection, exchange)
}

/**
 * ssh2 asks for the secret first, and then for what is sent to the client, in one call that waits for
 * nothing. ML-KEM of the runtime is asynchronous, so that call is made once the answer is there. The
 * client has to wait for it; one that sends more before it is cut off.
 */
function makeHybrid(connection: Connection, exchange: KeyExchange): void {
  const finish = exchange.finish.bind(exchange)
  let reply: Buffer = Buffer.alloc(0)
  let isAsked = false
  exchange.negotiated.kex = NAME
  exchange.convertPublicKey = (key) => key
  exchange.getPublicKey = () => reply
  exchange.computeSecret = () => new Error('the client did not wait for the answer')
  // The first call of ssh2's own function puts another one in this place.
  exchange.finish = () => {
    if (isAsked) return finish()
    isAsked = true
    answerTo(exchange._dhData)
      .then(
        (answer) => {
          reply = answer.reply
          exchange.computeSecret = () => answer.secret
        },
        // ssh2 changes the message, which that of WebCrypto does not allow.
        (error: Error) => (exchange.computeSecret = () => new Error(error.message)),
      )
      .then(() => finish())
      .catch(() => connection.end())
  }
}

/** What Bun's WebCrypto has of ML-KEM, after the draft "Modern Algorithms in the Web Cryptography API". */
type KeyEncapsulation = {
  importKey(
    format: 'raw-public',
    key: Uint8Array,
    algorithm: string,
    extractable: boolean,
    usages: readonly ['encapsulateBits'],
  ): Promise<CryptoKey>
  encapsulateBits(
    algorithm: string,
    key: CryptoKey,
  ): Promise<{ readonly ciphertext: ArrayBuffer; readonly sharedKey: ArrayBuffer }>
}
const kem = crypto.subtle as unknown as KeyEncapsulation

/**
 * Throws for a key that is malformed: the import checks that the coefficients are below the modulus
 * (FIPS 203 section 7.2), and `diffieHellman` refuses points of small order.
 */
async function answerTo(
  clientKey: Buffer,
): Promise<{ readonly reply: Buffer; readonly secret: Buffer }> {
  if (clientKey.length !== ENCAPSULATION_KEY_BYTES + POINT_BYTES)
    throw new Error(`a key of ${clientKey.length} bytes`)
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const curve = diffieHellman({
    privateKey,
    publicKey: createPublicKey({
      key: Buffer.concat([X25519_PREFIX, clientKey.subarray(ENCAPSULATION_KEY_BYTES)]),
      format: 'der',
      type: 'spki',
    }),
  })
  const own = publicKey.export({ format: 'der', type: 'spki' }).subarray(-POINT_BYTES)
  const lattice = await kem.encapsulateBits(
    'ML-KEM-768',
    await kem.importKey(
      'raw-public',
      clientKey.subarray(0, ENCAPSULATION_KEY_BYTES),
      'ML-KEM-768',
      false,
      ['encapsulateBits'],
    ),
  )
  return {
    reply: Buffer.concat([Buffer.from(lattice.ciphertext), own]),
    secret: createHash('sha256').update(Buffer.from(lattice.sharedKey)).update(curve).digest(),
  }
}
