import { expect, test } from 'bun:test'
import { listArtifacts } from '#features/artifacts/list-artifacts.ts'
import { uploads } from '#features/artifacts/results/uploads.ts'
import { sha256 } from '#lib/hash.ts'
import { DAY } from '#lib/time.ts'
import { REPO } from '../fixture.ts'
import { makeResultsWorld, ResultsClient } from './fixture.ts'

test('an artifact is sent in blocks, listed, downloaded in parts and deleted', async () => {
  const { world, ada, begin } = await makeResultsWorld()
  const { job, client } = await begin()
  const parts = ['one ', 'two ', 'three']
  const text = parts.join('')
  const expires_at = new Date(world.clock.now() + 3 * DAY).toISOString()
  const created = await client.artifact('CreateArtifact', {
    name: 'app',
    expires_at,
    mime_type: 'application/zip',
    version: 7,
  })
  expect([created.status, created.body.ok]).toEqual([200, true])
  const address = created.body.signed_upload_url
  expect(await client.putBlocks(address, parts)).toBe(201)
  const end = { name: 'app', size: `${text.length}`, hash: `sha256:${sha256(text)}` }
  const finished = await client.artifact('FinalizeArtifact', end)
  expect(finished.body).toEqual({ ok: true, artifact_id: expect.stringMatching(/^\d+$/) })
  // The answer was lost: the client asks again and hears the same.
  expect(await client.artifact('FinalizeArtifact', end)).toEqual(finished)

  const { items } = await world.call(listArtifacts, ada, { ...REPO, id: job.run.id })
  expect(items).toMatchObject([{ name: 'app', size_in_bytes: 13, digest: end.hash }])
  expect(Date.parse(items[0]?.expires_at ?? '') - world.clock.now()).toBe(3 * DAY)

  await client.upload('other', 'zip')
  const list = await client.artifact('ListArtifacts', { name_filter: 'app' })
  expect(list.body.artifacts).toMatchObject([
    { ...client.ids, name: 'app', size: '13', digest: end.hash },
  ])
  const id_filter = finished.body.artifact_id
  expect((await client.artifact('ListArtifacts', { id_filter })).body.artifacts).toHaveLength(1)
  const link = await client.artifact('GetSignedArtifactURL', { name: 'app' })
  const file = await client.get(link.body.signed_url)
  expect([file.headers.get('content-type'), await file.text()]).toEqual(['application/zip', text])
  const part = await client.get(link.body.signed_url, { range: 'bytes=4-6' })
  expect([part.status, await part.text()]).toEqual([206, 'two'])

  expect((await client.artifact('DeleteArtifact', { name: 'app' })).body.ok).toBe(true)
  expect((await client.artifact('ListArtifacts')).body.artifacts).toMatchObject([{ name: 'other' }])
  expect((await client.artifact('GetSignedArtifactURL', { name: 'app' })).status).toBe(404)
})

test('bytes that are not what the client says become no artifact', async () => {
  const { begin } = await makeResultsWorld()
  const { client } = await begin()
  const { body } = await client.artifact('CreateArtifact', { name: 'app' })
  const finish = (size: string, hash?: string) =>
    client.artifact('FinalizeArtifact', { name: 'app', size, hash })
  expect((await finish('0')).status).toBe(409)
  const unknown = '<BlockList><Latest>YQ==</Latest></BlockList>'
  const refused = await client.put(body.signed_upload_url, '&comp=blocklist', unknown)
  expect([refused.status, refused.headers.get('x-ms-error-code')]).toEqual([
    400,
    'InvalidBlockList',
  ])
  await client.put(body.signed_upload_url, '', 'bytes')
  expect((await finish('6')).body.msg).toContain('5 bytes have arrived, not 6')
  expect((await finish('5', `sha256:${sha256('other')}`)).body.code).toBe('invalid_argument')
  expect((await client.artifact('ListArtifacts')).body.artifacts).toEqual([])
  expect((await finish('5', `sha256:${sha256('bytes')}`)).body.ok).toBe(true)
  const again = await client.artifact('CreateArtifact', { name: 'app' })
  expect([again.status, again.body.code]).toEqual([409, 'already_exists'])
  for (const name of ['', 'a/b', 'x'.repeat(256)])
    expect((await client.artifact('CreateArtifact', { name })).status).toBe(400)
  const raw = await client.artifact('CreateArtifact', { name: 'a', mime_type: 'text/plain' })
  expect(raw.body.msg).toContain('archive: true')
})

test('a token acts for its own job, while it runs', async () => {
  const { url, begin, finish, push, take, clientOf, hearth } = await makeResultsWorld()
  const first = await begin()
  const second = await begin('topic')
  await first.client.upload('app', 'zip')
  const asFirst = new ResultsClient(url, second.client.token, first.client.ids)
  for (const method of [
    'CreateArtifact',
    'ListArtifacts',
    'DeleteArtifact',
    'GetSignedArtifactURL',
  ])
    expect([method, (await asFirst.artifact(method, { name: 'app' })).status]).toEqual([
      method,
      403,
    ])
  // Another run's artifacts are not there.
  expect((await second.client.artifact('ListArtifacts')).body.artifacts).toEqual([])
  const [head = '', claims = '', signature = ''] = first.client.token.split('.')
  const forged = Buffer.from(claims, 'base64url').toString().replace(first.job.id, second.job.id)
  for (const token of [
    '',
    'x',
    first.job.token,
    `${head}.${Buffer.from(forged).toString('base64url')}.${signature}`,
    `${head}.${claims}.`,
    `${head}.${claims}`,
    `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`,
    'a'.repeat(4_000),
  ]) {
    const client = new ResultsClient(url, token, first.client.ids)
    expect((await client.artifact('ListArtifacts')).status).toBe(401)
  }
  const late = await first.client.artifact('CreateArtifact', { name: 'late' })
  await finish(first.job)
  expect((await first.client.artifact('ListArtifacts')).status).toBe(401)
  expect((await first.client.put(late.body.signed_upload_url, '', 'zip')).status).toBe(404)
  uploads(hearth).sweep()
  // The same job of a later attempt has another token.
  await push({ more: '1' })
  const next = await take()
  if (!next) throw new Error('there is no job')
  expect((await clientOf(next).artifact('ListArtifacts')).status).toBe(200)
})

test('an address grants its own upload alone, and uploads are bounded', async () => {
  const { begin, world } = await makeResultsWorld()
  const { client } = await begin()
  const { body } = await client.artifact('CreateArtifact', { name: 'app' })
  const address = String(body.signed_upload_url)
  const other = address.replace('/upload?', '/cache?')
  expect((await client.get(other)).status).toBe(404)
  expect((await client.get(address)).status).toBe(405)
  expect((await client.put(`${address}x`, '', 'zip')).status).toBe(404)
  expect((await client.put(address, '&comp=page', 'zip')).status).toBe(501)
  expect((await client.put(address, '&comp=block', 'zip')).status).toBe(400)
  const escaping = encodeURIComponent('../../../../escape')
  expect((await client.put(address, `&comp=block&blockid=${escaping}`, 'zip')).status).toBe(201)
  const statuses: number[] = []
  for (let n = 0; n < 33; n++)
    statuses.push((await client.artifact('CreateArtifact', { name: `many-${n}` })).status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  world.clock.advance(6 * 3_600_000 + 1)
  expect((await client.put(address, '', 'zip')).status).toBe(404)
})
