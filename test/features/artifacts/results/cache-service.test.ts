import { expect, test } from 'bun:test'
import { listCaches } from '#features/artifacts/list-caches.ts'
import { decode, encode } from '#lib/protobuf.ts'
import * as messages from '#features/artifacts/results/messages.ts'
import { REPO } from '../fixture.ts'
import { makeResultsWorld, SERVICE } from './fixture.ts'

test('a cache is saved once, restored by its key or the beginning of one, and stays on its branch', async () => {
  const { world, ada, begin } = await makeResultsWorld()
  const { client: main } = await begin()
  expect(await main.restore('deps-a')).toBeNull()
  const saved = await main.save('deps-a', 'first')
  expect(saved.body).toEqual({ ok: true, entry_id: expect.stringMatching(/^\d+$/) })
  expect((await main.save('deps-a', 'second')).status).toBe(409)
  expect(await main.restore('deps-a')).toBe('deps-a: first')
  expect(await main.restore('deps-b', ['none-', 'deps-'])).toBe('deps-a: first')
  expect(await main.restore('deps-a', [], 'other')).toBeNull()

  const { client: topic } = await begin('topic')
  expect(await topic.restore('deps-a')).toBe('deps-a: first')
  await topic.save('deps-c', 'of the branch')
  expect(await topic.restore('deps-c')).toBe('deps-c: of the branch')
  expect(await main.restore('deps-c')).toBeNull()
  const refs = (await world.call(listCaches, ada, REPO)).items.map(({ ref, key }) => [ref, key])
  expect(refs.toSorted()).toEqual([
    ['refs/heads/main', 'deps-a'],
    ['refs/heads/topic', 'deps-c'],
  ])
})

test('a finished cache is told again, and parts of it are sent', async () => {
  const { begin } = await makeResultsWorld()
  const { client } = await begin()
  const { body } = await client.cache('CreateCacheEntry', { key: 'k', version: 'v' })
  const finish = () =>
    client.cache('FinalizeCacheEntryUpload', { key: 'k', version: 'v', sizeBytes: '8' })
  expect((await finish()).status).toBe(409)
  expect(await client.putBlocks(body.signed_upload_url, ['abcd', 'efgh'])).toBe(201)
  const finished = await finish()
  expect(finished.body.ok).toBe(true)
  expect(await finish()).toEqual(finished)
  const wanted = { key: 'k', restore_keys: ['k'], version: 'v' }
  const found = await client.cache('GetCacheEntryDownloadURL', wanted)
  const address = found.body.signed_download_url
  const part = await client.get(address, { 'x-ms-range': 'bytes=2-5' })
  expect([part.status, await part.text()]).toEqual([206, 'cdef'])
  const head = await fetch(client.at(address), { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '8'])
})

test('a run of changes from outside reads caches and is told why it writes none', async () => {
  const { world, begin } = await makeResultsWorld()
  const { client } = await begin()
  await client.save('deps', 'trusted')
  await world.write((tx) => void tx.db.run('UPDATE workflow_runs SET trusted = 0'))
  expect((await client.save('poison', 'x')).body).toEqual({
    message: expect.stringMatching(/^cache write denied: /),
  })
  expect(await client.restore('deps')).toBe('deps: trusted')
})

test('a client that speaks in binary messages is understood', async () => {
  const { url, begin } = await makeResultsWorld()
  const { client } = await begin()
  const call = (method: string, body: Uint8Array) =>
    fetch(`${url}${SERVICE}.CacheService/${method}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${client.token}`,
        'content-type': 'application/protobuf',
      },
      body: new Uint8Array(body),
    })
  const wanted = { key: 'k', version: 'v' }
  const begun = await call('CreateCacheEntry', encode(messages.CreateCacheEntryRequest, wanted))
  const { signed_upload_url } = decode(messages.CreateCacheEntryResponse, await begun.bytes())
  await client.put(signed_upload_url, '', 'abc')
  const end = { ...wanted, size_bytes: 3 }
  await call('FinalizeCacheEntryUpload', encode(messages.FinalizeCacheEntryUploadRequest, end))
  expect(await client.restore('k')).toBe('k: abc')
  const broken = await call('CreateCacheEntry', new Uint8Array([0x12, 0xff]))
  expect([broken.status, ((await broken.json()) as { code: string }).code]).toEqual([
    400,
    'malformed',
  ])
})
