/**
 * git-upload-pack over a connection that stays open (gitprotocol-pack, "Packfile Negotiation"). The
 * engine answers whole requests, as over HTTP. So a conversation becomes requests: in version 2 each
 * command is one; in version 0 and 1 each request holds all that the client has said so far, and its
 * response begins with the bytes that were sent before, because the refs stay the same meanwhile.
 */
import { GitError } from '../ports.ts'
import { BodyReader } from './body.ts'
import { DELIM, FLUSH, pktBytes, type Packet } from './pkt-line.ts'

const MAX_REQUEST_BYTES = 32 << 20
/** What all requests of one conversation may have together, since each repeats those before. */
const MAX_REPEATED_BYTES = 512 << 20

const encode = (packet: Packet): Uint8Array =>
  packet.kind === 'data'
    ? pktBytes(packet.data)
    : packet.kind === 'flush'
      ? FLUSH
      : packet.kind === 'delim'
        ? DELIM
        : Buffer.from('0002')

const tooLarge = (): GitError => new GitError('too_large', 'the request is too large')

class RequestBuffer {
  private readonly parts: Uint8Array[] = []
  private bytes = 0

  get isEmpty(): boolean {
    return this.bytes === 0
  }

  add(packet: Packet): void {
    const part = encode(packet)
    this.bytes += part.length
    if (this.bytes > MAX_REQUEST_BYTES) throw tooLarge()
    this.parts.push(part)
  }

  body(): Uint8Array {
    return Buffer.concat(this.parts)
  }
}

/** The requests of a conversation. Throws GitError for input that is no conversation. */
export async function* readFetchRequests(
  input: ReadableStream<Uint8Array>,
  protocol: 0 | 1 | 2,
): AsyncGenerator<Uint8Array> {
  const reader = new BodyReader(input)
  yield* protocol === 2 ? readCommands(reader) : readNegotiation(reader)
}

/** A flush alone, or the end, is the end of the conversation. */
async function* readCommands(reader: BodyReader): AsyncGenerator<Uint8Array> {
  for (;;) {
    const request = new RequestBuffer()
    for (;;) {
      const packet = await reader.packet()
      if (packet === null || (packet.kind === 'flush' && request.isEmpty)) return
      request.add(packet)
      if (packet.kind === 'flush') break
    }
    yield request.body()
  }
}

const startsWith = (packet: Packet, word: string): boolean =>
  packet.kind === 'data' && packet.data.subarray(0, word.length).toString('latin1') === word

async function* readNegotiation(reader: BodyReader): AsyncGenerator<Uint8Array> {
  const request = new RequestBuffer()
  let isDeepened = false
  let areWantsOver = false
  let repeated = 0
  for (;;) {
    const packet = await reader.packet()
    // A client that wants nothing says so with a flush or hangs up.
    if (packet === null || (packet.kind === 'flush' && request.isEmpty)) return
    request.add(packet)
    const isDone = areWantsOver && startsWith(packet, 'done')
    isDeepened ||= !areWantsOver && startsWith(packet, 'deepen')
    // The response to wants alone is what changes at the boundary of a shallow history.
    const isAsked = packet.kind === 'flush' && (areWantsOver || isDeepened)
    areWantsOver ||= packet.kind === 'flush'
    if (!isAsked && !isDone) continue
    const body = request.body()
    repeated += body.length
    if (repeated > MAX_REPEATED_BYTES) throw tooLarge()
    yield body
    if (isDone) return
  }
}
