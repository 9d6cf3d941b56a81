/**
 * AES-GCM for long transfers. OpenSSH before 10.0 puts AES in counter mode with a separate HMAC
 * first, of which 32 KiB take 23 µs, and 3 µs with AES-GCM. The choice is the client's, so a
 * connection that has transferred much gets new keys (RFC 4253 section 9), for which this side offers
 * nothing but the AES-GCM that the client has. One that has none keeps its cipher.
 */
import type { Connection } from 'ssh2'
import {
  LIST,
  namesOfOther,
  protocolOf,
  sendingLists,
  type KeyExchange,
  type Offer,
} from './key-exchange.ts'

const isGcm = (name: string): boolean => name.includes('-gcm@')

/** Ciphers from the client to this server, and from it to the client. */
type Ciphers = { readonly cs: readonly string[]; readonly sc: readonly string[] }

/** The ciphers with AES-GCM that both sides have; null where the connection has one, or cannot. */
function fasterCiphers(exchange: KeyExchange, { lists }: Offer): Ciphers | null {
  const common = (list: number, ours: readonly string[]): string[] =>
    namesOfOther(exchange, list).filter((name) => isGcm(name) && ours.includes(name))
  const cs = common(LIST.cipherToServer, lists.cs.cipher.array)
  const sc = common(LIST.cipherToClient, lists.sc.cipher.array)
  const isFast = isGcm(exchange.negotiated.sc.cipher)
  return isFast || cs.length === 0 || sc.length === 0 ? null : { cs, sc }
}

const offering = (offer: Offer, { cs, sc }: Ciphers): Offer => ({
  ...sendingLists(offer, { [LIST.cipherToServer]: cs, [LIST.cipherToClient]: sc }),
  lists: {
    ...offer.lists,
    cs: { ...offer.lists.cs, cipher: { array: cs } },
    sc: { ...offer.lists.sc, cipher: { array: sc } },
  },
})

/** The ciphers of one connection. */
export class FasterCipher {
  #ciphers: Ciphers | null = null

  constructor(private readonly connection: Connection) {}

  /** Must be called with each exchange of keys. */
  noteExchange(exchange: KeyExchange): void {
    this.#ciphers = fasterCiphers(exchange, protocolOf(this.connection)._offer)
  }

  /** Asks for new keys with AES-GCM, if the connection does not have it and the client does. */
  request(): void {
    const protocol = protocolOf(this.connection)
    // The other side chooses from the list that it has got, so it changes between exchanges only.
    if (this.#ciphers === null || protocol._kexinit !== undefined) return
    protocol._offer = offering(protocol._offer, this.#ciphers)
    this.#ciphers = null
    this.connection.rekey()
  }
}
