/** Archives over real connections: parts for downloads that broke off. */
import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getArchiveLink } from '#features/repos/archives/get-archive-link.ts'
import { runForge } from '../../features/oauth/running.ts'

const REPO = 'acme/site'
const forge = await runForge()
const ada = await forge.user('ada')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada })
const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64')
await forge.commit(
  REPO,
  'main',
  Object.fromEntries([
    ['README.md', 'Hello\n'],
    ...Array.from({ length: 60 }, (_, at) => [`data/${at}.txt`, `${at} ${noise}`]),
  ]),
)

for (const format of ['zip', 'tar.gz'] as const) {
  test(`a part of a ${format} file continues a download that broke off`, async () => {
    const { url } = await forge.call(getArchiveLink, anonymous, { repo: REPO, format })
    const get = (headers: Record<string, string> = {}) => fetch(url, { headers })
    const first = await get()
    const whole = new Uint8Array(await first.arrayBuffer())
    const etag = first.headers.get('etag') ?? ''
    expect([first.status, first.headers.get('accept-ranges')]).toEqual([200, 'bytes'])
    expect(whole.length).toBeGreaterThan(1_000_000)
    expect(first.headers.getSetCookie()).toEqual([])

    for (const [range, start, end] of [
      ['bytes=1000000-', 1_000_000, whole.length],
      ['bytes=5-9', 5, 10],
      ['bytes=-7', whole.length - 7, whole.length],
    ] as const) {
      const part = await get({ range, 'if-range': etag })
      expect([part.status, part.headers.get('content-range')]).toEqual([
        206,
        `bytes ${start}-${end - 1}/${whole.length}`,
      ])
      expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(start, end))).toBe(true)
    }
    const other = await get({ range: 'bytes=5-9', 'if-range': '"other"' })
    expect(other.status).toBe(200)
    expect((await other.arrayBuffer()).byteLength).toBe(whole.length)
    const past = await get({ range: `bytes=${whole.length}-` })
    expect([past.status, past.headers.get('content-range')]).toEqual([
      416,
      `bytes */${whole.length}`,
    ])
    // A server may send the whole file, for which it needs no size beforehand.
    const all = await get({ range: 'bytes=0-' })
    expect(all.status).toBe(200)
    expect((await all.arrayBuffer()).byteLength).toBe(whole.length)
    expect((await get({ 'if-none-match': etag })).status).toBe(304)
  })
}

/** The response as it is on the connection, which a client may have changed. */
async function rawHead(url: string): Promise<{ headers: string; body: string }> {
  const { hostname, port, pathname } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) =>
        void socket.write(`HEAD ${pathname} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      data: (_, bytes) => void (text += bytes.toString()),
      close: () => resolve(text),
    },
  })
  const [headers = '', body = ''] = (await promise).split('\r\n\r\n')
  return { headers: headers.toLowerCase(), body }
}

test('HEAD tells no wrong length: none at first, and that of a download afterwards', async () => {
  await forge.commit(REPO, 'main', { 'head.txt': 'head\n' })
  const { url } = await forge.call(getArchiveLink, anonymous, { repo: REPO })
  const before = await rawHead(url)
  expect(before.headers).toContain('200 ok')
  expect(before.headers).not.toContain('content-length')
  expect(before.body).toBe('')
  const { byteLength } = await (await fetch(url)).arrayBuffer()
  const after = await rawHead(url)
  expect(`${after.headers}\r\n`).toContain(`content-length: ${byteLength}\r\n`)
  expect(after.body).toBe('')
})

test('another commit has another validator', async () => {
  const etagNow = async () => {
    const { url } = await forge.call(getArchiveLink, anonymous, { repo: REPO })
    return (await fetch(url, { method: 'HEAD' })).headers.get('etag')
  }
  const before = await etagNow()
  expect(await etagNow()).toBe(before)
  await forge.commit(REPO, 'main', { 'new.txt': 'new\n' })
  expect(await etagNow()).not.toBe(before)
})
