/** Files of releases, uploaded and downloaded over HTTP. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { blobPath } from '#core/blobs.ts'
import { anonymous } from '#core/caller.ts'
import { listReleaseAssets } from '#features/releases/list-release-assets.ts'
import { digest, makeServed, pathOf, repo } from './served.ts'

describe('sending files in and out', () => {
  test('keeps the bytes once under their digest, and gives them back with their type, whole or in parts', async () => {
    const { world, release, send, get, kept, incoming } = await makeServed()
    const made = await release('v1.0')
    const bytes = crypto.getRandomValues(new Uint8Array(100_000))
    const sent = await send(made.id, 'name=app-1.0.tar.gz&label=For%20Linux', bytes, {
      'content-type': 'application/octet-stream',
    })
    expect(sent.status).toBe(201)
    const asset = (await sent.json()) as Record<string, unknown>
    expect(asset).toMatchObject({
      name: 'app-1.0.tar.gz',
      label: 'For Linux',
      content_type: 'application/gzip',
      size_in_bytes: 100_000,
      sha256: digest(bytes),
      download_count: 0,
      uploader: { username: 'ada' },
      download_url: 'https://hearth.test/acme/site/releases/download/v1.0/app-1.0.tar.gz',
    })
    expect(asset.id).toMatch(/^ast_/)
    expect((await send(made.id, 'name=same.bin', bytes)).status).toBe(201)
    expect([kept(), incoming()]).toEqual([[digest(bytes)], []])
    expect(digest(readFileSync(blobPath(world.hearth, digest(bytes))))).toBe(digest(bytes))

    const path = pathOf(String(asset.download_url))
    const whole = await get(path)
    expect(whole.status).toBe(200)
    expect(
      Object.fromEntries(
        [
          'content-type',
          'content-length',
          'content-disposition',
          'etag',
          'x-content-type-options',
          'accept-ranges',
          'content-security-policy',
        ].map((name) => [name, whole.headers.get(name)]),
      ),
    ).toEqual({
      'content-type': 'application/gzip',
      'content-length': '100000',
      'content-disposition': 'attachment; filename="app-1.0.tar.gz"',
      etag: `"${digest(bytes)}"`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect(digest(await whole.bytes())).toBe(digest(bytes))

    for (const [asked, from, to] of [
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      ['bytes=99990-', 99_990, 99_999],
      ['bytes=-5', 99_995, 99_999],
      ['bytes=5-999999', 5, 99_999],
    ] as const) {
      const part = await get(path, { range: asked })
      expect([
        asked,
        part.status,
        part.headers.get('content-range'),
        part.headers.get('content-length'),
      ]).toEqual([asked, 206, `bytes ${from}-${to}/100000`, String(to - from + 1)])
      expect(
        Buffer.from(await part.bytes()).equals(Buffer.from(bytes.subarray(from, to + 1))),
      ).toBe(true)
    }
    const beyond = await get(path, { range: 'bytes=100000-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */100000'])
    for (const strange of ['bytes=5-1', 'bytes=1-2,5-6', 'lines=1-2', 'bytes=-'])
      expect([strange, (await get(path, { range: strange })).status]).toEqual([strange, 200])
    // Half of another file is worth nothing.
    expect((await get(path, { range: 'bytes=10-19', 'if-range': '"other"' })).status).toBe(200)
    expect(
      (await get(path, { range: 'bytes=10-19', 'if-range': `"${digest(bytes)}"` })).status,
    ).toBe(206)
    const unchanged = await get(path, { 'if-none-match': `"${digest(bytes)}"` })
    expect([unchanged.status, (await unchanged.bytes()).length]).toEqual([304, 0])
    const head = await get(path, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), (await head.bytes()).length]).toEqual([
      200,
      '100000',
      0,
    ])

    // Counted from the first byte on: whole ones (also those whose range was not taken), and ranges
    // from zero.
    const { items } = await world.call(listReleaseAssets, anonymous, { repo, id: made.id })
    expect(items.map(({ name, download_count }) => [name, download_count])).toEqual([
      ['app-1.0.tar.gz', 7],
      ['same.bin', 0],
    ])
  })

  test('an empty file is a file', async () => {
    const { release, send, get } = await makeServed()
    const made = await release('v1')
    const asset = (await (await send(made.id, 'name=empty', '')).json()) as {
      size_in_bytes: number
      sha256: string
    }
    expect([asset.size_in_bytes, asset.sha256]).toEqual([0, digest('')])
    const answer = await get('/acme/site/releases/download/v1/empty')
    expect([answer.status, (await answer.bytes()).length]).toEqual([200, 0])
    expect((await get('/acme/site/releases/download/v1/empty', { range: 'bytes=0-' })).status).toBe(
      416,
    )
  })

  test('names with spaces, other scripts and a tag with a slash lead there and back', async () => {
    const { release, send, get } = await makeServed()
    const made = await release('app/v1.0')
    const asset = (await (
      await send(made.id, `name=${encodeURIComponent('Größe – 1 (neu) #%.txt')}`, 'text')
    ).json()) as { download_url: string }
    const answer = await get(pathOf(asset.download_url))
    expect(await answer.text()).toBe('text')
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="Gr__e _ 1 (neu) #_.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%80%93%201%20%28neu%29%20%23%25.txt`,
    )
  })

  test('what could run in a browser is only ever downloaded', async () => {
    const { release, send, get } = await makeServed()
    const made = await release('v1')
    await send(made.id, 'name=page.html&content_type=text/html', '<script>alert(1)</script>')
    const { headers } = await get('/acme/site/releases/download/v1/page.html')
    expect([
      headers.get('content-type'),
      headers.get('content-disposition'),
      headers.get('content-security-policy'),
    ]).toEqual(['text/html', 'attachment; filename="page.html"', "default-src 'none'; sandbox"])
  })
})
