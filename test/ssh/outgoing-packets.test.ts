/** What connections send, most of it with ssh2 on both sides. */
import { afterEach, expect, test } from 'bun:test'
import { EventEmitter } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import ssh2, {
  type Algorithms,
  type ClientChannel,
  type Connection,
  type ServerChannel,
} from 'ssh2'
import { GitError } from '#git'
import { newEd25519Key } from '#lib/ssh/ed25519-key.ts'
import { ChannelSink } from '#src/ssh/channel-sink.ts'
import { encryptionTurns } from '#src/ssh/work-turns.ts'
import { until } from '../features/checks/fixture.ts'
import { OutgoingBytes, sendWithLittleMemory } from '#src/ssh/outgoing-packets.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Counts how often the system would be called. */
function countingSocket() {
  const calls: string[] = []
  /** What is behind each call. */
  const memory: number[] = []
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      calls.push(chunk.toString())
      memory.push(chunk.buffer.byteLength)
      done()
    },
  })
  return { socket: stream as unknown as Socket, calls, memory }
}

test('what is written in one turn goes out at once and in order, and so does that of the next', async () => {
  const { socket, calls } = countingSocket()
  const outgoing = new OutgoingBytes(socket)
  const piece = Buffer.from('length ')
  outgoing.add(piece)
  // The memory of a piece is free after the call.
  piece.fill('x')
  for (const text of ['packet ', 'tag ']) outgoing.add(Buffer.from(text))
  expect(calls).toEqual([])
  await turn()
  expect(calls).toEqual(['length packet tag '])
  outgoing.add(Buffer.from('next'))
  await turn()
  expect(calls).toEqual(['length packet tag ', 'next'])
})

test('packets that are small alone are small in memory, and together with large ones in order', async () => {
  const { socket, calls, memory } = countingSocket()
  const outgoing = new OutgoingBytes(socket)
  outgoing.add(Buffer.from('keepalive'))
  await turn()
  outgoing.add(Buffer.alloc(1000, 'a'))
  outgoing.add(Buffer.alloc(24, 'b'))
  outgoing.add(Buffer.alloc(25, 'c'))
  outgoing.add(Buffer.alloc(300_000, 'd'))
  await turn()
  expect(calls.join('')).toBe(
    `keepalive${'a'.repeat(1000)}${'b'.repeat(24)}${'c'.repeat(25)}${'d'.repeat(300_000)}`,
  )
  expect(memory[0]).toBeLessThan(16_384)
  expect(calls.length).toBe(3)
})

test('what was written before the end is not lost, and long data goes out in blocks', async () => {
  const { socket, calls } = countingSocket()
  const outgoing = new OutgoingBytes(socket)
  outgoing.add(Buffer.alloc(600_000, 'a'))
  outgoing.add(Buffer.from('disconnect'))
  socket.end()
  await turn()
  expect(calls.join('')).toBe(`${'a'.repeat(600_000)}disconnect`)
  expect(calls.length).toBe(3)
})

/** Called with each piece that the server writes. Ciphers take the function when they are made. */
function watchPieces(connection: Connection, onPiece: (piece: Uint8Array) => void): void {
  const { _protocol: protocol } = connection as unknown as {
    _protocol: { _onWrite: (piece: Uint8Array) => void }
  }
  const write = protocol._onWrite
  protocol._onWrite = (piece) => {
    write(piece)
    onPiece(piece)
  }
}

/** One command of a client, whose channel the server gives to `serve`. */
async function connect(
  algorithms: Algorithms,
  serve: (channel: ServerChannel) => void,
  onPiece: (piece: Uint8Array) => void = () => {},
): Promise<ClientChannel> {
  const server = new ssh2.Server(
    { hostKeys: [newEd25519Key().pem] },
    (connection, { ip, port }) => {
      sendWithLittleMemory(connection, sockets.get(`${ip} ${port}`) as Socket)
      watchPieces(connection, onPiece)
      connection.on('error', () => {})
      connection.on('authentication', (attempt) => attempt.accept())
      connection.on('session', (accept) =>
        accept().on('exec', (acceptExec) => {
          const channel = acceptExec()
          channel.on('error', () => {})
          serve(channel)
        }),
      )
    },
  )
  const sockets = new Map<string, Socket>()
  const listener = createServer((socket) => {
    sockets.set(`${socket.remoteAddress} ${socket.remotePort}`, socket)
    server.injectSocket(socket)
  })
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  const client = new ssh2.Client()
  closers.push(() => {
    client.end()
    for (const socket of sockets.values()) socket.destroy()
    listener.close()
  })
  const { promise, resolve, reject } = Promise.withResolvers<ClientChannel>()
  client.on('error', reject)
  client.on('ready', () =>
    client.exec('x', (error, channel) => (error ? reject(error) : resolve(channel))),
  )
  const { port } = listener.address() as AddressInfo
  client.connect({ host: '127.0.0.1', port, username: 'git', password: 'x', algorithms })
  return await promise
}

async function received(channel: ClientChannel): Promise<Buffer> {
  const chunks: Buffer[] = []
  channel.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((done) => channel.once('close', done))
  return Buffer.concat(chunks)
}

const noise = (size: number): Buffer => {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at += 65_536)
    crypto.getRandomValues(bytes.subarray(at, Math.min(size, at + 65_536)))
  return bytes
}

const CIPHERS: Algorithms[] = [
  { cipher: ['aes128-gcm@openssh.com'] },
  { cipher: ['aes128-ctr'], hmac: ['hmac-sha2-256-etm@openssh.com'] },
  { cipher: ['aes256-ctr'], hmac: ['hmac-sha2-256'] },
]

test('packets are whole with every cipher, whatever their lengths', async () => {
  for (const algorithms of CIPHERS) {
    const pieces = [1, 7, 16, 4096, 32_767, 32_768, 32_769, 3_000_000].map(noise)
    const channel = await connect(algorithms, (one) => {
      for (const piece of pieces) one.write(piece)
      one.end()
    })
    expect((await received(channel)).equals(Buffer.concat(pieces))).toBe(true)
  }
})

test('what a cipher has made is released once it is sent', async () => {
  for (const algorithms of CIPHERS) {
    const pieces: ArrayBufferLike[] = []
    const channel = await connect(
      algorithms,
      (one) => {
        one.write(noise(3_000_000))
        one.end()
      },
      ({ length, buffer }) => {
        if (length > 32_000) pieces.push(buffer)
      },
    )
    expect((await received(channel)).length).toBe(3_000_000)
    expect(pieces.length).toBeGreaterThan(90)
    expect(pieces.filter(({ byteLength }) => byteLength > 0)).toEqual([])
  }
})

test('a sink sends everything beyond what is skipped, and its memory may be used once taken', async () => {
  const whole = noise(6_000_000)
  const expected = Buffer.from(whole)
  let taken = 0
  let progress = 0
  const sending = Promise.withResolvers<number>()
  const channel = await connect({ cipher: ['aes128-gcm@openssh.com'] }, (one) => {
    const sink = new ChannelSink(one, {
      turns: encryptionTurns(),
      signal: new AbortController().signal,
      skippedBytes: 100_000,
      onProgress: () => progress++,
    })
    // More than the window of the client, so that ssh2 has to keep some of it.
    for (let at = 0; at < whole.length; at += 60_000) {
      const part = whole.subarray(at, at + 60_000)
      sink.put(part, () => {
        taken++
        part.fill(0)
      })
    }
    void sink.sent().then(() => {
      sink.close()
      sending.resolve(sink.bytes)
      one.end()
    })
  })
  expect((await received(channel)).equals(expected.subarray(100_000))).toBe(true)
  expect(await sending.promise).toBe(whole.length)
  expect(taken).toBe(100)
  // One of the hundred is skipped, and the window of the client may end within the others.
  expect(progress).toBeGreaterThanOrEqual(99)
})

test('a transfer that is given up ends at once, and its memory is in no later packet', async () => {
  const secret = Buffer.alloc(60_000, 's')
  const block = Buffer.alloc(60_000, 'a')
  const stop = new AbortController()
  const ended = Promise.withResolvers<unknown>()
  let isCancelled = false
  const channel = await connect({ cipher: ['aes128-gcm@openssh.com'] }, (one) => {
    const sink = new ChannelSink(one, {
      turns: encryptionTurns(),
      signal: stop.signal,
      skippedBytes: 0,
      onProgress: () => {},
    })
    sink.onCancel(() => {
      isCancelled = true
      // What the engine does with blocks that nobody takes.
      block.set(secret)
    })
    for (let at = 0; at < 100; at++) sink.put(block)
    sink.sent().catch((error: unknown) => {
      sink.close()
      ended.resolve(error)
    })
    stop.abort(new GitError('aborted', 'the key was removed'))
    one.end()
  })
  expect(await ended.promise).toMatchObject({ message: 'the key was removed' })
  expect(isCancelled).toBe(true)
  const bytes = await received(channel)
  expect(bytes.length).toBeGreaterThan(0)
  expect(bytes.includes('s')).toBe(false)
})

const KIB = 1024

/** A channel whose client takes so many bytes now, and a sink for it. */
function sinkOf(window: number) {
  const writes: number[] = []
  const outgoing = { window }
  const channel = Object.assign(new EventEmitter(), {
    outgoing,
    writable: true,
    writableLength: 0,
    write(bytes: Uint8Array, done: () => void) {
      writes.push(bytes.length)
      outgoing.window -= bytes.length
      process.nextTick(done)
    },
  })
  const sink = new ChannelSink(channel as unknown as ServerChannel, {
    turns: encryptionTurns(),
    signal: new AbortController().signal,
    skippedBytes: 0,
    onProgress: () => {},
  })
  closers.push(() => sink.close())
  return { writes, outgoing, sink }
}

test('a client that takes a little more at a time gets a quarter of a megabyte at once', async () => {
  const { writes, outgoing, sink } = sinkOf(2048 * KIB)
  sink.put(noise(256 * KIB))
  for (let at = 0; at < 30; at++) sink.put(noise(100 * KIB))
  await until(() => outgoing.window === 0)
  // Parts of the engine are joined.
  expect(writes.reduce((sum, length) => sum + length)).toBe(2048 * KIB)
  writes.length = 0
  for (let at = 0; at < 3; at++) outgoing.window += 64 * KIB
  expect(writes).toEqual([])
  outgoing.window += 64 * KIB
  await until(() => outgoing.window === 0)
  expect(writes.reduce((sum, length) => sum + length)).toBe(256 * KIB)
  // The end needs no more than its own length.
  outgoing.window = 3256 * KIB - (2048 + 256) * KIB
  await sink.sent()
})

test('a client that takes no more before it has all of its window gets that', async () => {
  const { writes, outgoing, sink } = sinkOf(1000 * KIB)
  sink.put(noise(950 * KIB))
  await until(() => outgoing.window === 50 * KIB)
  writes.length = 0
  sink.put(noise(200 * KIB))
  await until(() => outgoing.window === 0)
  expect(writes).toEqual([50 * KIB])
})
