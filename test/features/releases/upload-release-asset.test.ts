/** Files of releases, uploaded and downloaded over HTTP. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createConnection } from 'node:net'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { anonymous } from '#core/caller.ts'
import { deleteReleaseAsset } from '#features/releases/delete-release-asset.ts'
import { getRelease } from '#features/releases/get-release.ts'
import { listReleaseAssets } from '#features/releases/list-release-assets.ts'
import { openReleaseAsset } from '#features/releases/open-release-asset.ts'
import { uploadReleaseAsset } from '#features/releases/upload-release-asset.ts'
import { refusal } from '../../world.ts'
import { file, pieces } from './fixture.ts'
import { digest, makeServed, pathOf, repo } from './served.ts'

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
