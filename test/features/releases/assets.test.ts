/** Files of releases through the doors: sent in and out over a real connection. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createConnection } from 'node:net'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { blobPath, sweepBlobs } from '#core/blobs.ts'
import { anonymous } from '#core/caller.ts'
import { createToken } from '#features/accounts/create-token.ts'
import { deleteReleaseAsset } from '#features/releases/delete-release-asset.ts'
import { deleteRelease } from '#features/releases/delete-release.ts'
import { getRelease } from '#features/releases/get-release.ts'
import { listReleaseAssets } from '#features/releases/list-release-assets.ts'
import { openReleaseAsset } from '#features/releases/open-release-asset.ts'
import { uploadReleaseAsset } from '#features/releases/upload-release-asset.ts'
import { insertJob } from '#core/jobs.ts'
import { DAY, HOUR } from '#lib/time.ts'
import { serveSite } from '../../web/visitor.ts'
import { refusal } from '../../world.ts'
import { file, makeReleaseWorld, pieces } from './fixture.ts'

const repo = 'acme/site'
const digest = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function makeServed(options: Parameters<typeof makeReleaseWorld>[0] = {}) {
  const all = await makeReleaseWorld(options)
  const { world, ada } = all
  const site = serveSite(world)
  const token = async (who = ada) =>
    `Bearer ${(await world.call(createToken, who, { name: 'ci', scopes: ['repo:write'] })).secret ?? ''}`
  const authorization = await token()
  const blobs = join(world.data, 'blobs')
  return {
    ...all,
    site,
    token,
    authorization,
    send: (id: string, query: string, body: BodyInit, headers: Record<string, string> = {}) =>
      fetch(`${site.url}/api/repos/acme/site/releases/${id}/assets?${query}`, {
        method: 'POST',
        body,
        headers: { authorization, ...headers },
      }),
    get: (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(site.url + path, { method, headers, redirect: 'manual' }),
    /** Every file that is kept, and every one that still comes in. */
    kept: () =>
      (existsSync(blobs)
        ? readdirSync(blobs).flatMap((shard) => readdirSync(join(blobs, shard)))
        : []
      ).sort(),
    incoming: () =>
      existsSync(join(world.data, 'tmp/blobs')) ? readdirSync(join(world.data, 'tmp/blobs')) : [],
    sweep: async () => {
      await world.write((tx) => void insertJob(tx.db, sweepBlobs, null, tx.now_ms))
      await world.jobs()
    },
  }
}

/** As `call` gives it: paths from the address of the interface on. */
const pathOf = (url: string) => new URL(url).pathname

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
    expect(asset['id']).toMatch(/^ast_/)
    expect((await send(made.id, 'name=same.bin', bytes)).status).toBe(201)
    expect([kept(), incoming()]).toEqual([[digest(bytes)], []])
    expect(digest(readFileSync(blobPath(world.hearth, digest(bytes))))).toBe(digest(bytes))

    const path = pathOf(String(asset['download_url']))
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

describe('what is refused', () => {
  test('leaves nothing behind: names that are none, the same name, too much, types that are none, other encodings', async () => {
    const { world, ada, release, send, kept, incoming } = await makeServed({
      settings: { releases: { max_asset_bytes: 1000 } },
    })
    const made = await release('v1')
    expect((await send(made.id, 'name=a.txt', 'one')).status).toBe(201)
    const before = kept()
    const answers: [number, string | null, string | null][] = []
    const refused = async (query: string, body: BodyInit, headers: Record<string, string> = {}) => {
      const answer = await send(made.id, query, body, headers)
      const { error } = (await answer.json()) as {
        error: { reason: string | null; field: string | null }
      }
      answers.push([answer.status, error.reason, error.field])
    }
    for (const name of [
      '..',
      '.',
      '%20',
      'a%2Fb',
      'a%5Cb',
      'a%00b',
      'a%0Ab',
      'a%E2%80%AEtxt.exe',
      'a%3Ab',
      'x'.repeat(256),
      encodeURIComponent('ü'.repeat(200)),
    ])
      await refused(`name=${name}`, 'x')
    expect(answers).toEqual(Array.from({ length: 11 }, () => [422, null, 'name']))
    answers.length = 0
    await refused('', 'x')
    await refused('name=a.txt', 'two')
    await refused('name=b', 'x'.repeat(1001))
    await refused(
      'name=b',
      new ReadableStream({
        start(controller) {
          for (let i = 0; i < 20; i++) controller.enqueue(new Uint8Array(100))
          controller.close()
        },
      }),
    )
    await refused('name=b&content_type=nothing', 'x')
    await refused('name=b', 'x', { 'content-encoding': 'gzip' })
    expect(answers).toEqual([
      [422, null, 'name'],
      [409, 'already_exists', null],
      [413, null, null],
      [413, null, null],
      [422, null, 'content_type'],
      [415, null, null],
    ])
    expect(
      await refusal(
        world.call(uploadReleaseAsset, ada, { repo, id: made.id, name: 'b', data: 'not base64!' }),
      ),
    ).toMatchObject({ code: 'invalid', field: 'data' })
    expect(
      await refusal(world.call(uploadReleaseAsset, ada, { repo, id: made.id, name: 'b' })),
    ).toMatchObject({ code: 'invalid', field: 'data' })
    expect([
      kept(),
      incoming(),
      (await world.call(getRelease, ada, { repo, id: made.id })).assets.length,
    ]).toEqual([before, [], 1])
    // A tool has the bytes as text.
    expect(
      await world.call(uploadReleaseAsset, ada, {
        repo,
        id: made.id,
        name: 'b',
        data: Buffer.from('tool').toString('base64'),
      }),
    ).toMatchObject({ size_in_bytes: 4, sha256: digest('tool') })
  })

  test('a private file is for those who may read, a draft’s for those with Write, and both are unknown to all others', async () => {
    const { world, ada, otto, rita, release, upload, get, token } = await makeServed({
      private: true,
    })
    const [out, draft] = [await release('v1'), await release('v2', { draft: true })]
    await upload(out.id, 'a.txt', 'public to us')
    const hidden = await upload(draft.id, 'b.txt', 'not yet')
    expect(pathOf(hidden.download_url)).toBe(`/acme/site/releases/download/${draft.id}/b.txt`)
    const zoe = await world.user('zoe')
    const statuses = async (path: string) => {
      const all = await Promise.all(
        [ada, otto, rita, zoe].map(
          async (who) => (await get(path, { authorization: await token(who) })).status,
        ),
      )
      return [...all, (await get(path)).status]
    }
    expect(await statuses('/acme/site/releases/download/v1/a.txt')).toEqual([
      200, 200, 200, 404, 404,
    ])
    expect(await statuses(pathOf(hidden.download_url))).toEqual([200, 200, 404, 404, 404])
    expect(await statuses('/acme/site/releases/download/v2/b.txt')).toEqual([
      404, 404, 404, 404, 404,
    ])
    expect((await refusal(world.call(listReleaseAssets, rita, { repo, id: draft.id }))).code).toBe(
      'not_found',
    )
    expect((await refusal(upload(out.id, 'c.txt', 'x', rita))).reason).toBe('role')
    expect(
      (await refusal(world.call(deleteReleaseAsset, rita, { repo, id: hidden.id }))).reason,
    ).toBe('role')
    expect(
      (
        await refusal(
          world.call(openReleaseAsset, anonymous, { repo, tag: 'v1', name: 'a.txt', counts: true }),
        )
      ).code,
    ).toBe('not_found')
    // A file of one repository is not found through another.
    await world.repo('acme/other')
    expect(
      (await refusal(world.call(deleteReleaseAsset, ada, { repo: 'acme/other', id: hidden.id })))
        .code,
    ).toBe('not_found')
  })

  test('a stranger’s file is not even read', async () => {
    const { site, release, incoming } = await makeServed()
    const made = await release('v1')
    const answer = await fetch(
      `${site.url}/api/repos/acme/site/releases/${made.id}/assets?name=a`,
      { method: 'POST', body: 'x'.repeat(1000) },
    )
    expect([answer.status, incoming()]).toEqual([401, []])
  })
})

describe('a connection that breaks', () => {
  for (const [how, head] of [
    ['with an announced length', 'content-length: 1000000\r\n'],
    ['in chunks', 'transfer-encoding: chunked\r\n'],
  ] as const) {
    test(`${how} leaves no file and no row`, async () => {
      const { world, ada, site, release, authorization, kept, incoming } = await makeServed()
      const made = await release('v1')
      const socket = createConnection(Number(new URL(site.url).port), '127.0.0.1')
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.write(
        `POST /api/repos/acme/site/releases/${made.id}/assets?name=half HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n${head}\r\n`,
      )
      const part = 'x'.repeat(50_000)
      for (let i = 0; i < 4; i++)
        socket.write(how === 'in chunks' ? `${part.length.toString(16)}\r\n${part}\r\n` : part)
      while (incoming().length === 0) await Bun.sleep(2)
      socket.destroy()
      while (incoming().length > 0) await Bun.sleep(2)
      expect(kept()).toEqual([])
      expect((await world.call(getRelease, ada, { repo, id: made.id })).assets).toEqual([])
    })
  }

  test('bytes that are fewer or more than announced are not kept', async () => {
    const { world, ada, release, kept } = await makeServed()
    const made = await release('v1')
    for (const length of [3, 5]) {
      const call = world.call(
        uploadReleaseAsset,
        ada,
        { repo, id: made.id, name: 'a' },
        { bytes: { stream: pieces('four'), type: null, length } },
      )
      expect((await refusal(call)).code).toBe('bad_request')
    }
    expect(kept()).toEqual([])
  })
})

describe('what no release names any more', () => {
  test('is swept away after a day, and what another one names stays', async () => {
    const { world, mel, ada, release, upload, kept, sweep } = await makeServed()
    const [one, two] = [await release('v1'), await release('v2')]
    const shared = await upload(one.id, 'shared', 'shared')
    await upload(two.id, 'other-name', 'shared')
    await upload(one.id, 'own', 'own')
    await world.call(deleteReleaseAsset, ada, { repo, id: shared.id })
    await world.call(deleteRelease, mel, { repo, id: one.id })
    await sweep()
    // Young ones may be about to be named.
    expect(kept()).toEqual([digest('own'), digest('shared')].sort())
    world.clock.advance(DAY + HOUR)
    // Sent again just now, so that its row may be on its way.
    await upload(two.id, 'again', 'again')
    const again = (await world.call(listReleaseAssets, ada, { repo, id: two.id })).items.find(
      ({ name }) => name === 'again',
    )
    await world.call(deleteReleaseAsset, ada, { repo, id: again?.id ?? '' })
    await sweep()
    expect(kept()).toEqual([digest('again'), digest('shared')].sort())
  })

  test('and what a stopped process left half in goes too', async () => {
    const { world, release, upload, incoming, sweep } = await makeServed()
    await upload((await release('v1')).id, 'a', 'a')
    const left = join(world.data, 'tmp/blobs/left')
    writeFileSync(left, 'half')
    const old = (world.clock.now() - 2 * HOUR) / 1000
    utimesSync(left, old, old)
    await sweep()
    expect(incoming()).toEqual([])
  })
})

const folder = mkdtempSync(join(tmpdir(), 'hearth-asset-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('200 MB pass through in both directions without being held', async () => {
  const { release, site, authorization } = await makeServed()
  const made = await release('v1')
  const path = join(folder, 'large')
  const piece = crypto.getRandomValues(new Uint8Array(1024 * 1024).subarray(0, 65_536))
  const block = Buffer.concat(Array.from({ length: 16 }, () => piece))
  const writer = Bun.file(path).writer()
  const hash = createHash('sha256')
  for (let i = 0; i < 200; i++) {
    writer.write(block)
    hash.update(block)
    await writer.flush()
  }
  await writer.end()
  const expected = hash.digest('hex')
  Bun.gc(true)
  const before = process.memoryUsage().rss
  let most = before
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5)
  const client = Bun.spawn(
    [
      process.execPath,
      '-e',
      `
    const [address, back, path, authorization] = process.argv.slice(-4)
    const sent = await fetch(address, { method: 'POST', body: Bun.file(path), headers: { authorization } })
    const hash = new Bun.CryptoHasher('sha256')
    for await (const part of (await fetch(back)).body) hash.update(part)
    console.log(JSON.stringify({ sent: await sent.json(), back: hash.digest('hex') }))`,
      `${site.url}/api/repos/acme/site/releases/${made.id}/assets?name=large.bin`,
      `${site.url}/acme/site/releases/download/v1/large.bin`,
      path,
      authorization,
    ],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  const told = JSON.parse(await new Response(client.stdout).text()) as {
    sent: unknown
    back: string
  }
  clearInterval(watch)
  expect(told).toMatchObject({
    sent: { size_in_bytes: 200 * 1024 * 1024, sha256: expected },
    back: expected,
  })
  expect((most - before) / 1024 ** 2).toBeLessThan(100)
}, 120_000)

test('a file that is only announced as too large is refused before it is sent', async () => {
  const { world, ada, release } = await makeServed()
  const made = await release('v1')
  let read = false
  async function* unread() {
    read = true
    yield new Uint8Array(1)
  }
  const call = world.call(
    uploadReleaseAsset,
    ada,
    { repo, id: made.id, name: 'a' },
    { bytes: { stream: unread(), type: null, length: 3 * 1024 ** 3 } },
  )
  expect([(await refusal(call)).code, read]).toEqual(['too_large', false])
  expect(
    await world.call(
      uploadReleaseAsset,
      ada,
      { repo, id: made.id, name: 'a' },
      { bytes: file('x', 'text/plain') },
    ),
  ).toMatchObject({ content_type: 'text/plain' })
})
