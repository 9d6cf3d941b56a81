/**
 * Answers that leave the process as they are made: through a real listener to a real socket, and to
 * readers inside.
 */
import { afterEach, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import type { ResponseOptions } from '../../../src/git/ports.ts'
import {
  bufferOrStreamResponse,
  streamResponse,
  type ResponseSink,
} from '../../../src/git/protocol/response-stream.ts'

const BLOCK = 1 << 18
const BLOCKS = 200

let server: ReturnType<typeof Bun.serve> | null = null
afterEach(async () => {
  await server?.stop(true)
  server = null
})

const block = (at: number): Uint8Array => Buffer.allocUnsafeSlow(BLOCK).fill((at * 7) & 255)
const whole = (blocks: number): string => {
  const hasher = new Bun.CryptoHasher('sha1')
  for (let at = 0; at < blocks; at++) hasher.update(block(at))
  return hasher.digest('hex')
}
const hashOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha1').update(bytes).digest('hex')

/** Puts blocks as fast as they are taken, and gives back the memory of each as soon as it may. */
const sender =
  (blocks: number, sent = { blocks: 0, gone: false }) =>
  async (sink: ResponseSink): Promise<void> => {
    sink.onCancel(() => (sent.gone = true))
    for (let at = 0; at < blocks && !sent.gone; at++) {
      const bytes = block(at)
      await new Promise<void>((taken) => sink.put(bytes, taken))
      ;(bytes.buffer as ArrayBuffer).transfer(0)
      sent.blocks++
    }
  }

function serve(make: (sink: ResponseSink) => Promise<void>, sending: ResponseOptions = {}): number {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    fetch: () => new Response(streamResponse(make, sending)),
  })
  return server.port ?? 0
}

/** A client that reads nothing until it is told to. */
function ask(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  socket.pause()
  return socket
}

/** Waits until something has not changed for a while. */
async function standstill(value: () => number): Promise<number> {
  for (let [before, calm] = [value(), 0]; ; ) {
    await Bun.sleep(20)
    calm = value() === before ? calm + 1 : 0
    before = value()
    if (calm === 10) return before
  }
}

test('what is given back when it was taken arrives whole', async () => {
  let [moves, ends] = [0, 0]
  const port = serve(sender(BLOCKS), { onProgress: () => void moves++, onEnd: () => void ends++ })
  const bytes = await (await fetch(`http://127.0.0.1:${port}`)).bytes()
  expect([bytes.length, hashOf(bytes)]).toEqual([BLOCKS * BLOCK, whole(BLOCKS)])
  expect([moves >= BLOCKS, ends]).toEqual([true, 1])
})

test('a reader that stops holds the sender back, and gets all of it when it goes on', async () => {
  const sent = { blocks: 0, gone: false }
  const socket = ask(serve(sender(BLOCKS, sent)))
  const held = await standstill(() => sent.blocks)
  // What the two ends of the connection hold, and no more.
  expect([held > 0, held < BLOCKS / 2]).toEqual([true, true])
  let size = 0
  socket.on('data', (bytes) => (size += bytes.length))
  socket.resume()
  await standstill(() => size)
  expect([sent.blocks, sent.gone, size > BLOCKS * BLOCK]).toEqual([BLOCKS, false, true])
  socket.destroy()
})

test('a reader that goes away ends the work, and is told of once', async () => {
  const sent = { blocks: 0, gone: false }
  let ends = 0
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const socket = ask(serve(sender(BLOCKS, sent), { onEnd: () => resolve(void ends++) }))
  await standstill(() => sent.blocks)
  expect(ends).toBe(0)
  socket.destroy()
  await ended
  expect([sent.gone, ends, sent.blocks < BLOCKS]).toEqual([true, 1, true])
})

test('an answer that fails, or is given up, is not taken for a whole one', async () => {
  const failing = serve(async (sink) => {
    await sender(10)(sink)
    throw new Error('the disk is gone')
  })
  const cutOff = async (port: number): Promise<string> =>
    await (await fetch(`http://127.0.0.1:${port}`)).bytes().then(
      () => 'whole',
      () => 'cut off',
    )
  expect(await cutOff(failing)).toBe('cut off')
  await server?.stop(true)
  const giveUp = new AbortController()
  let ends = 0
  const port = serve(
    async (sink) => {
      await sender(10)(sink)
      giveUp.abort()
      await sender(10)(sink)
    },
    { signal: giveUp.signal, onEnd: () => void ends++ },
  )
  expect([await cutOff(port), ends]).toEqual(['cut off', 1])
})

test('one that nobody ever reads ends when it is given up', async () => {
  const giveUp = new AbortController()
  const sent = { blocks: 0, gone: false }
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  streamResponse(sender(3, sent), { signal: giveUp.signal, onEnd: resolve })
  await Bun.sleep(20)
  expect(sent).toEqual({ blocks: 0, gone: false })
  giveUp.abort()
  await ended
  expect(sent.gone).toBe(true)
})

test('readers in this process get copies, as slowly as they like', async () => {
  const sent = { blocks: 0, gone: false }
  const reader = streamResponse(sender(20, sent)).getReader()
  const first = await reader.read()
  const held = await standstill(() => sent.blocks)
  expect(held).toBeLessThan(10)
  const parts = [first.value!]
  for (let next = await reader.read(); !next.done; next = await reader.read())
    parts.push(next.value)
  expect(hashOf(Buffer.concat(parts))).toBe(whole(20))
  expect(hashOf(await new Response(streamResponse(sender(20))).bytes())).toBe(whole(20))

  const left = { blocks: 0, gone: false }
  const leaving = streamResponse(sender(20, left)).getReader()
  await leaving.read()
  await leaving.cancel()
  expect(left.gone).toBe(true)
})

test('a short answer comes whole, a long one as a stream, and either says what went wrong before it began', async () => {
  const short = await bufferOrStreamResponse(async (sink) => {
    for (const text of ['short ', 'and ', 'sweet']) {
      const bytes = Buffer.allocUnsafeSlow(text.length)
      bytes.write(text)
      await new Promise<void>((taken) => sink.put(bytes, taken))
      ;(bytes.buffer as ArrayBuffer).transfer(0)
    }
  })
  expect(short instanceof Uint8Array && Buffer.from(short).toString()).toBe('short and sweet')
  const long = await bufferOrStreamResponse(sender(20))
  expect(long).toBeInstanceOf(ReadableStream)
  expect(hashOf(await new Response(long as ReadableStream<Uint8Array>).bytes())).toBe(whole(20))
  expect(bufferOrStreamResponse(() => Promise.reject(new Error('no such thing')))).rejects.toThrow(
    'no such thing',
  )
})
