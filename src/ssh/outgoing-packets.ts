/**
 * What a connection sends, with little new memory. ssh2 makes a buffer for each packet of 32 KiB and
 * writes it in three pieces, each with a call of the system and a segment of TCP. Getting fresh memory
 * from the system was half of what a clone cost. `test/ssh/outgoing-packets.test.ts` fails when ssh2
 * works otherwise.
 */
import { randomFillSync } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Connection } from 'ssh2'
import { releaseBuffer } from '#lib/pieces.ts'

/** What one turn encrypts, with the rest of each packet. */
const BLOCK_BYTES = 257 * 1024
/** Enough for keepalives and the answers of a sign-in, which a thousand connections send at once. */
const SMALL_BLOCK_BYTES = 1024
/** Blocks that are kept for the next connection that sends. */
const MAX_SPARE_BLOCKS = 16
/** The largest packet of ssh2, with room for its length and padding. */
const MAX_PACKET_BYTES = 40_000
const LENGTH_BYTES = 4
const MIN_PADDING = 4
/** Less is of no use, and may be a part of what others have. */
const MIN_RELEASED_BYTES = 8 * 1024
/** The runtime's ciphers take memory for one more block than they give. */
const MAX_CIPHER_BLOCK_BYTES = 16
/** Where the payload of a packet with data of a channel has its data. */
const DATA_AT = 14
const ALIGNMENT = 64

type Sending = Pick<Socket, 'writable' | 'write' | 'end'>

/** A cipher of ssh2. `_aadLen` and `_encBlockLen` are of those that are not GCM. */
type Cipher = {
  allocPacket(payloadLength: number): Buffer
  /** Gives the packet to `_onWrite` in pieces. */
  encrypt(packet: Buffer): void
  readonly _aadLen?: number
  readonly _encBlockLen?: number
}
type Protocol = { _onWrite: (data: Uint8Array) => void; _cipher: Cipher }

const spareBlocks: Buffer[] = []
/**
 * A packet is encrypted in the turn in which it is made, so all have the same memory. Data begins at
 * a multiple of 64.
 */
const packetMemory = Buffer.alloc(MAX_PACKET_BYTES + ALIGNMENT).subarray(ALIGNMENT - DATA_AT)

/** Whether all of a buffer is a large piece that a cipher made. */
const isMadeByCipher = (piece: Uint8Array): boolean =>
  piece.buffer !== packetMemory.buffer &&
  piece.length >= MIN_RELEASED_BYTES &&
  piece.byteOffset === 0 &&
  piece.buffer.byteLength - piece.length <= MAX_CIPHER_BLOCK_BYTES

/** Joins what is written in one turn of the event loop, or as much as a block holds. */
export class OutgoingBytes {
  #block: Buffer | null = null
  #length = 0

  constructor(private readonly socket: Sending) {
    // ssh2 ends the socket right after its last packet.
    const end = socket.end.bind(socket) as (...values: unknown[]) => Socket
    socket.end = (...values: unknown[]): Socket => {
      this.flush()
      return end(...values)
    }
  }

  /** Takes bytes, whose memory may be used again after that. */
  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const block = this.#blockFor(bytes.length - at)
      const taken = Math.min(bytes.length - at, block.length - this.#length)
      block.set(taken === bytes.length ? bytes : bytes.subarray(at, at + taken), this.#length)
      this.#length += taken
      at += taken
      if (this.#length === BLOCK_BYTES) this.flush()
    }
  }

  /** The block of this turn. A small one becomes a large one when there is no room for so much. */
  #blockFor(bytes: number): Buffer {
    if (this.#block === null) {
      this.#length = 0
      process.nextTick(() => this.flush())
    }
    const block = this.#block ?? Buffer.allocUnsafe(SMALL_BLOCK_BYTES)
    this.#block = block
    if (block.length === BLOCK_BYTES || this.#length + bytes <= block.length) return block
    const large = spareBlocks.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES)
    large.set(block.subarray(0, this.#length))
    this.#block = large
    return large
  }

  flush(): void {
    const block = this.#block
    if (block === null) return
    this.#block = null
    if (this.socket.writable)
      this.socket.write(block.subarray(0, this.#length), () => {
        if (block.length === BLOCK_BYTES && spareBlocks.length < MAX_SPARE_BLOCKS)
          spareBlocks.push(block)
      })
  }
}

/** The same packet as ssh2 makes: a length, the length of the padding, room for the payload, padding. */
function makePacket(
  { _aadLen = LENGTH_BYTES, _encBlockLen = 16 }: Cipher,
  payload: number,
): Buffer {
  const unpadded = LENGTH_BYTES + 1 + payload
  const short = _encBlockLen - ((unpadded - _aadLen) & (_encBlockLen - 1))
  const padding = short < MIN_PADDING ? short + _encBlockLen : short
  const length = unpadded + padding
  const packet =
    length > packetMemory.length ? Buffer.allocUnsafe(length) : packetMemory.subarray(0, length)
  packet.writeUInt32BE(length - LENGTH_BYTES, 0)
  packet[LENGTH_BYTES] = padding
  randomFillSync(packet, unpadded, padding)
  return packet
}

/** Sends the packets of a connection that has not sent its list of algorithms yet. */
export function sendWithLittleMemory(connection: Connection, socket: Socket): void {
  const protocol = (connection as unknown as { _protocol: Protocol })._protocol
  const bytes = new OutgoingBytes(socket)
  // Ciphers take this function when they are made. The first one, which encrypts nothing, has written
  // its last packet before the next one writes.
  let encrypted: Uint8Array[] = []
  protocol._onWrite = (data) => {
    bytes.add(data)
    encrypted.push(data)
  }
  let current = protocol._cipher
  Object.defineProperty(protocol, '_cipher', {
    get: () => current,
    set: (next: Cipher) => {
      current = next
      next.allocPacket = (payload) => makePacket(next, payload)
      const encrypt = next.encrypt.bind(next)
      next.encrypt = (packet) => {
        encrypt(packet)
        for (const piece of encrypted) if (isMadeByCipher(piece)) releaseBuffer(piece)
        encrypted = []
      }
    },
  })
}
