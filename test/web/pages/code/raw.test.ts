/** Raw files: parts of them, and readers that take their time. */
import { connect, type Socket } from 'node:net'
import { expect, test } from 'bun:test'
import { MAX_DOWNLOADS_PER_CALLER } from '#web/open-streams.ts'
import { runForge } from '../../../features/oauth/running.ts'

const REPO = 'acme/site'
const MIB = 1024 * 1024
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
const large = Buffer.alloc(24 * MIB, 'a line of text that is long\n')
await forge.commit(REPO, 'main', { 'a.txt': 'abcdefghij', 'large.txt': large.toString() })

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${forge.url}/${REPO}/raw/main/${path}`, { method, headers })

test('a part of a file is sent when it is asked for', async () => {
  const whole = await get('a.txt')
  expect([whole.status, whole.headers.get('accept-ranges'), await whole.text()]).toEqual([
    200,
    'bytes',
    'abcdefghij',
  ])
  const part = await get('a.txt', { range: 'bytes=2-4' })
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    'bytes 2-4/10',
    'cde',
  ])
  const last = await get('large.txt', { range: 'bytes=-5' })
  expect([last.status, await last.text()]).toEqual([206, large.subarray(-5).toString()])
  const none = await get('a.txt', { range: 'bytes=10-' })
  expect([none.status, none.headers.get('content-range')]).toEqual([416, 'bytes */10'])
})

test('a part is sent only to a client that has the same version', async () => {
  const etag = (await get('a.txt')).headers.get('etag') ?? ''
  const range = 'bytes=0-0'
  expect((await get('a.txt', { range, 'if-range': etag })).status).toBe(206)
  expect((await get('a.txt', { range, 'if-range': '"other"' })).status).toBe(200)
  expect((await get('a.txt', { range, 'if-range': `W/${etag}` })).status).toBe(200)
  expect((await get('a.txt', { 'if-none-match': `"x", ${etag}` })).status).toBe(304)
})

test('it sets no cookie, as a page does', async () => {
  expect((await get('a.txt')).headers.getSetCookie()).toEqual([])
  expect((await fetch(`${forge.url}/avatars/${ada.id}`)).headers.getSetCookie()).toEqual([])
  expect((await fetch(`${forge.url}/${REPO}`)).headers.getSetCookie().length).toBe(1)
})

test('HEAD has the length and no body', async () => {
  const head = await get('large.txt', {}, 'HEAD')
  expect([head.status, head.headers.get('content-length')]).toEqual([200, `${large.length}`])
  const part = await get('a.txt', { range: 'bytes=1-3' }, 'HEAD')
  expect([part.status, part.headers.get('content-length')]).toEqual([206, '3'])
})

test('a large file arrives whole', async () => {
  const bytes = await (await get('large.txt')).bytes()
  expect(Buffer.from(bytes).equals(large)).toBeTrue()
})

const slowReader = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(forge.url)
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET /${REPO}/raw/main/${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`),
    )
    socket.on('error', reject)
    socket.once('data', () => {
      socket.pause()
      resolve(socket)
    })
  })

test('readers that stop reading hold no more than a block each', async () => {
  await (await get('large.txt')).bytes()
  Bun.gc(true)
  const before = process.memoryUsage().rss
  const readers = await Promise.all(Array.from({ length: 20 }, () => slowReader('large.txt')))
  await Bun.sleep(300)
  const grown = process.memoryUsage().rss - before
  for (const socket of readers) socket.destroy()
  expect(grown).toBeLessThan(64 * MIB)
})

test('one caller has so many downloads at once, and others are not affected', async () => {
  const readers = await Promise.all(
    Array.from({ length: MAX_DOWNLOADS_PER_CALLER }, () => slowReader('large.txt')),
  )
  let isAnswered = false
  const waiting = get('a.txt').then((response) => {
    isAnswered = true
    return response.text()
  })
  expect((await (await forge.browser('ada')).open(`/${REPO}/raw/main/a.txt`)).status).toBe(200)
  await Bun.sleep(100)
  expect(isAnswered).toBeFalse()
  for (const socket of readers) socket.destroy()
  expect(await waiting).toBe('abcdefghij')
})
