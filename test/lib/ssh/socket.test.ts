import { afterEach, expect, test } from 'bun:test'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { gatherWrites, limitEarlyBytes } from '#lib/ssh/socket.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Counts how often the system would be called. */
function countingStream() {
  const calls: string[] = []
  const stream = new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _, done) {
      calls.push(chunk.toString())
      done()
    },
    writev(chunks, done) {
      calls.push(chunks.map(({ chunk }) => String(chunk)).join(''))
      done()
    },
  })
  gatherWrites(stream as unknown as Socket)
  return { stream, calls }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('what is written in one turn goes out at once and in order, and so does that of the next', async () => {
  const { stream, calls } = countingStream()
  for (const piece of ['length ', 'packet ', 'tag ']) stream.write(piece)
  expect(calls).toEqual([])
  await turn()
  expect(calls).toEqual(['length packet tag '])
  stream.write('next')
  await turn()
  expect(calls).toEqual(['length packet tag ', 'next'])
})

test('what was written before the end is not lost', async () => {
  const { stream, calls } = countingStream()
  stream.write('disconnect')
  stream.write(' tag')
  stream.end()
  await turn()
  expect(calls.join('')).toBe('disconnect tag')
})

/** Two ends of a connection. */
async function makePair(): Promise<{ own: Socket; other: Socket }> {
  const { promise, resolve } = Promise.withResolvers<Socket>()
  const server = createServer(resolve)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const other = connect((server.address() as AddressInfo).port, '127.0.0.1')
  other.on('error', () => {})
  const own = await promise
  closers.push(() => {
    own.destroy()
    other.destroy()
    server.close()
  })
  return { own, other }
}

test('a side that sends without an end before its sign-in is cut off', async () => {
  const { own, other } = await makePair()
  const failed = Promise.withResolvers<string>()
  own.on('error', ({ message }) => failed.resolve(message))
  limitEarlyBytes(own, 100_000)
  let bytes = 0
  own.on('data', (chunk: Buffer) => (bytes += chunk.length))
  const more = Buffer.alloc(10_000, '\r')
  const send = (): void => {
    if (!other.destroyed && other.writable) other.write(more, send)
  }
  send()
  expect(await failed.promise).toContain('before the sign-in')
  expect(bytes).toBeLessThan(400_000)
})

test('after the sign-in nothing is counted, and nothing is lost before the first listener', async () => {
  const { own, other } = await makePair()
  const endLimit = limitEarlyBytes(own, 1000)
  other.write('early')
  await turn()
  const texts: string[] = []
  const whole = Promise.withResolvers<void>()
  own.on('data', (chunk: Buffer) => {
    texts.push(chunk.toString())
    if (texts.join('').length === 'early'.length) endLimit()
    if (texts.join('').length >= 'early'.length + 5000) whole.resolve()
    else other.write('x'.repeat(5000))
  })
  await whole.promise
  expect(texts.join('')).toStartWith('earlyx')
  expect(own.destroyed).toBe(false)
})
