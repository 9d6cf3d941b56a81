/**
 * What ssh2 1.17 keeps of key exchanges (RFC 4253 section 7) and does not offer to others: the lists
 * of algorithms of both sides, and the exchange that runs. `test/ssh` fails when ssh2 works
 * otherwise.
 */
import type { Connection } from 'ssh2'

/** The type and the cookie of a KEXINIT message, which come before its lists. */
const LISTS_AT = 17
const LIST_COUNT = 10
/** Places of lists in a KEXINIT message. */
export const LIST = { kex: 0, cipherToServer: 2, cipherToClient: 3 } as const

type Names = { readonly array: readonly string[] }
type OneWay = { readonly cipher: Names }

/** What this side offers: lists that ssh2 chooses from, and the bytes that it sends. */
export type Offer = {
  readonly lists: { readonly kex: Names; readonly cs: OneWay; readonly sc: OneWay }
  readonly totalSize: number
  copyAllTo(to: Buffer, at: number): number
}

/** One exchange. */
export type KeyExchange = {
  type: string
  readonly negotiated: { kex: string; readonly sc: { readonly cipher: string } }
  readonly _remoteKexinit: Uint8Array
  convertPublicKey(key: Buffer): Buffer
  computeSecret(clientKey: Buffer): Buffer | Error
  getPublicKey(): Buffer
  /** What the client sent. */
  readonly _dhData: Buffer
  /** Computes and sends the answer; the second time, once the client has confirmed, takes it into use. */
  finish(): unknown
}

export type Protocol = {
  _offer: Offer
  _kex: KeyExchange | undefined
  /** What this side sent of the exchange that runs; undefined while none does. */
  readonly _kexinit: Uint8Array | undefined
}

export const protocolOf = (connection: Connection): Protocol =>
  (connection as unknown as { _protocol: Protocol })._protocol

/** Calls a function with each exchange as it begins, once both sides have sent their lists. */
export function watchKeyExchanges(
  connection: Connection,
  onExchange: (exchange: KeyExchange) => void,
): void {
  let current: KeyExchange | undefined
  Object.defineProperty(protocolOf(connection), '_kex', {
    get: () => current,
    set: (next: KeyExchange | undefined) => {
      current = next
      if (next) onExchange(next)
    },
  })
}

/**
 * Lets an exchange that has begun answer when `later` calls its function. The client has to wait for
 * the answer; one that sends more before it is cut off.
 */
export function answerLater(
  connection: Connection,
  exchange: KeyExchange,
  later: (answer: () => void) => void,
): void {
  const finish = exchange.finish.bind(exchange)
  let state: 'begun' | 'waiting' | 'answered' | 'cut off' = 'begun'
  exchange.finish = () => {
    if (state === 'answered') return finish()
    if (state === 'begun') {
      state = 'waiting'
      later(() => {
        if (state === 'cut off') return
        state = 'answered'
        finish()
      })
    } else {
      state = 'cut off'
      connection.end()
    }
    return undefined
  }
}

/**
 * Forgets the secret and the keys of an exchange that is complete. ssh2 keeps them as long as the
 * connection, and later packets need only the identifier of the session and the algorithms.
 */
export function forgetExchange(connection: Connection): void {
  const exchange = protocolOf(connection)._kex
  if (!exchange) return
  const { finish, convertPublicKey, computeSecret, getPublicKey } = Object.getPrototypeOf(
    exchange,
  ) as KeyExchange
  // Its own functions hold the secret.
  const shared = { finish, convertPublicKey, computeSecret, getPublicKey }
  Object.assign(exchange, shared, { _keys: null, _dh: null, _public: null })
}

function nameLists(bytes: Buffer): string[] {
  const lists: string[] = []
  for (let at = 0; lists.length < LIST_COUNT; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    lists.push(bytes.toString('latin1', at + 4, end))
    at = end
  }
  return lists
}

/** The names in one list of the other side, in its order. ssh2 has checked the message. */
export function namesOfOther({ _remoteKexinit }: KeyExchange, list: number): string[] {
  const message = Buffer.from(_remoteKexinit).subarray(LISTS_AT)
  return (nameLists(message)[list] ?? '').split(',')
}

/** The same offer, of which other lists are sent. What ssh2 chooses from stays. */
export function sendingLists(
  offer: Offer,
  changed: Readonly<Record<number, readonly string[]>>,
): Offer {
  const known = Buffer.alloc(offer.totalSize)
  offer.copyAllTo(known, 0)
  const sent = Buffer.concat(
    nameLists(known).map((list, place) => {
      const names = Buffer.from(changed[place]?.join(',') ?? list, 'latin1')
      const length = Buffer.alloc(4)
      length.writeUInt32BE(names.length)
      return Buffer.concat([length, names])
    }),
  )
  return { lists: offer.lists, totalSize: sent.length, copyAllTo: (to, at) => sent.copy(to, at) }
}
