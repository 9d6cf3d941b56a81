/**
 * Messages between the two machines, over TLS 1.3 with the key of the pair. A message is a JSON
 * object with bytes: the length of both as 32-bit numbers, then both.
 */
import { createServer, connect as connectTls, type Server, type TLSSocket } from 'node:tls'
import { SECOND } from '#lib/time.ts'
import { PAIR_NAME, type PairKey } from './pair-key.ts'

export type Message = { readonly type: string } & Record<string, unknown>
export type Received = { readonly message: Message; readonly bytes: Uint8Array }

const MAX_JSON_BYTES = 16 * 1024 ** 2
const MAX_BYTES = 512 * 1024 ** 2
/** Reading pauses while so many bytes of messages wait for their reader. */
const MAX_QUEUED_BYTES = 32 * 1024 ** 2
const CONNECT_TIMEOUT_MS = 5 * SECOND
/** Connections that have not shown the key yet. */
const MAX_STRANGERS = 64
/** Without any message for so long the other side counts as gone. Both send pings. */
export const SILENCE_MS = 15 * SECOND

export class ChannelError extends Error {}

/** One connection. `receive` gives the messages in order; a `ping` is answered at once. */
export class Channel {
  #buffer: Buffer[] = []
  #buffered = 0
  readonly #queue: Received[] = []
  #queuedBytes = 0
  #waiting: (() => void) | null = null
  #failure: Error | null = null
  #drained: (() => void)[] = []
  readonly #silence: ReturnType<typeof setInterval>
  #lastHeardMs = performance.now()
  /** Called for each ping before its answer is sent, and for each answer. */
  onPing: (() => void) | null = null
  onPong: ((sentAtMs: number) => void) | null = null

  constructor(private readonly socket: TLSSocket) {
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    socket.on('drain', () => this.#releaseSenders())
    socket.on('error', (error) => this.close(error))
    socket.on('close', () => this.close(new ChannelError('the connection was closed')))
    this.#silence = setInterval(() => {
      if (performance.now() - this.#lastHeardMs > SILENCE_MS)
        this.close(new ChannelError('the other machine went silent'))
    }, SECOND)
  }

  get remote(): string {
    return this.socket.remoteAddress ?? 'unknown'
  }

  get isOpen(): boolean {
    return this.#failure === null
  }

  /** Sends a message. Resolves when there is room for the next. Throws when the channel ended. */
  async send(message: Message, bytes: Uint8Array = new Uint8Array()): Promise<void> {
    if (this.#failure) throw this.#failure
    if (this.#write(message, bytes)) return
    await new Promise<void>((resolve) => this.#drained.push(resolve))
    if (this.#failure) throw this.#failure
  }

  /** Sends a ping with the time of this machine, which its answer repeats. */
  ping(at: number = performance.now()): void {
    if (!this.#failure) this.#write({ type: 'ping', at }, new Uint8Array())
  }

  #write(message: Message, bytes: Uint8Array): boolean {
    const json = Buffer.from(JSON.stringify(message))
    const head = Buffer.alloc(8)
    head.writeUInt32BE(json.length, 0)
    head.writeUInt32BE(bytes.length, 4)
    const isRoomy = this.socket.write(Buffer.concat([head, json]))
    return bytes.length === 0 ? isRoomy : this.socket.write(bytes)
  }

  /** The next message. Throws when the channel ended. */
  async receive(): Promise<Received> {
    for (;;) {
      const next = this.#queue.shift()
      if (next) {
        this.#queuedBytes -= next.bytes.length
        if (this.#queuedBytes < MAX_QUEUED_BYTES) this.socket.resume()
        return next
      }
      if (this.#failure) throw this.#failure
      await new Promise<void>((resolve) => (this.#waiting = resolve))
    }
  }

  /** The next message if it has arrived; null otherwise. */
  receiveNow(): Received | null {
    const next = this.#queue.shift() ?? null
    if (next) {
      this.#queuedBytes -= next.bytes.length
      if (this.#queuedBytes < MAX_QUEUED_BYTES) this.socket.resume()
    }
    return next
  }

  /** Whether the next message has arrived and is of a type. */
  nextIs(type: string): boolean {
    return this.#queue[0]?.message.type === type
  }

  close(error: Error = new ChannelError('the connection was closed')): void {
    if (this.#failure) return
    this.#failure = error
    clearInterval(this.#silence)
    this.#waiting?.()
    this.#releaseSenders()
    this.socket.end()
    setTimeout(() => this.socket.destroy(), SECOND).unref()
  }

  #releaseSenders(): void {
    const waiting = this.#drained
    this.#drained = []
    for (const resolve of waiting) resolve()
  }

  #receive(bytes: Buffer): void {
    // The other machine may send until it sees the end of the connection.
    if (this.#failure) return
    this.#lastHeardMs = performance.now()
    this.#buffer.push(bytes)
    this.#buffered += bytes.length
    try {
      while (this.#takeMessage());
    } catch (error) {
      this.close(error as Error)
    }
  }

  #peek(length: number): Buffer | null {
    if (this.#buffered < length) return null
    if ((this.#buffer[0]?.length ?? 0) < length) this.#buffer = [Buffer.concat(this.#buffer)]
    return this.#buffer[0] as Buffer
  }

  #takeMessage(): boolean {
    const head = this.#peek(8)
    if (head === null) return false
    const [jsonBytes, length] = [head.readUInt32BE(0), head.readUInt32BE(4)]
    if (jsonBytes > MAX_JSON_BYTES || length > MAX_BYTES)
      throw new ChannelError('a message is larger than any may be')
    const end = 8 + jsonBytes + length
    const whole = this.#peek(end)
    if (whole === null) return false
    const message = JSON.parse(whole.subarray(8, 8 + jsonBytes).toString()) as Message
    const bytes = new Uint8Array(whole.subarray(8 + jsonBytes, end))
    this.#buffer[0] = whole.subarray(end)
    this.#buffered -= end
    this.#deliver(message, bytes)
    return true
  }

  #deliver(message: Message, bytes: Uint8Array): void {
    if (message.type === 'ping') {
      this.onPing?.()
      if (!this.#failure) this.#write({ type: 'pong', at: message.at }, new Uint8Array())
      return
    }
    if (message.type === 'pong') return this.onPong?.(Number(message.at))
    this.#queue.push({ message, bytes })
    this.#queuedBytes += bytes.length
    if (this.#queuedBytes > MAX_QUEUED_BYTES) this.socket.pause()
    this.#waiting?.()
  }
}

const tlsOptions = ({ key, cert }: PairKey) => ({
  key,
  cert,
  ca: [cert],
  minVersion: 'TLSv1.3' as const,
  rejectUnauthorized: true,
})

/** Whether the other end has the key of the pair. */
const hasPairKey = (socket: TLSSocket, { fingerprint }: PairKey): boolean =>
  socket.authorized && socket.getPeerCertificate().fingerprint256 === fingerprint

export type Address = { readonly host: string; readonly port: number }

/** Opens a connection to the other machine. Throws an Error when that fails. */
export function openChannel(to: Address, pair: PairKey): Promise<Channel> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ ...to, ...tlsOptions(pair), servername: PAIR_NAME })
    const fail = (error: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(
      () => fail(new ChannelError(`${to.host}:${to.port} does not answer`)),
      CONNECT_TIMEOUT_MS,
    )
    socket.once('error', fail)
    socket.once('close', () =>
      fail(new ChannelError(`${to.host}:${to.port} closed the connection`)),
    )
    socket.once('secureConnect', () => {
      if (!hasPairKey(socket, pair)) return fail(new ChannelError('the other end has another key'))
      clearTimeout(timer)
      socket.removeAllListeners('error')
      socket.removeAllListeners('close')
      resolve(new Channel(socket))
    })
  })
}

/**
 * Connections whose other end has not shown the key. They end soon, and the oldest makes room for a
 * new one, so that strangers neither use up the files that a process may open nor lock the peer out.
 */
class Strangers {
  readonly #timers = new Map<TLSSocket, Timer>()

  admit(socket: TLSSocket): void {
    const [oldest] = this.#timers.size >= MAX_STRANGERS ? this.#timers.keys() : []
    oldest?.destroy()
    if (oldest) this.forget(oldest)
    this.#timers.set(
      socket,
      setTimeout(() => socket.destroy(), CONNECT_TIMEOUT_MS),
    )
    // An error without a listener ends the process.
    socket.on('error', () => {})
    socket.once('close', () => this.forget(socket))
  }

  forget(socket: TLSSocket): void {
    clearTimeout(this.#timers.get(socket))
    this.#timers.delete(socket)
  }
}

/** Accepts connections of the other machine. Throws an Error when the port cannot be opened. */
export function listenForPeer(
  at: Address,
  pair: PairKey,
  accept: (channel: Channel) => void,
): Promise<Server> {
  const strangers = new Strangers()
  const server = createServer({ ...tlsOptions(pair), requestCert: true }, (socket) => {
    strangers.forget(socket)
    if (hasPairKey(socket, pair)) accept(new Channel(socket))
    else socket.destroy()
  })
  // The engine gives the same socket to both events.
  server.on('connection', (socket) => strangers.admit(socket as TLSSocket))
  server.on('tlsClientError', () => {})
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(at.port, at.host, () => {
      server.off('error', reject)
      server.on('error', () => {})
      resolve(server)
    })
  })
}
