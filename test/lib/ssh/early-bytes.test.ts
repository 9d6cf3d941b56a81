import { afterEach, expect, test } from 'bun:test'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { limitEarlyBytes } from '#lib/ssh/early-bytes.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

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
