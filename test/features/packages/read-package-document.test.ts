import { expect, test } from 'bun:test'
import { readPackageDocument } from '#features/packages/read-package-document.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('a document is rendered once, and again after a change, with a later time', async () => {
  const { world, ada, mel, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  const read = (kind = 'full') => world.call(readPackageDocument, ada, { ...npm('lib'), kind })
  const first = await read()
  expect(await read()).toBe(first)
  await publish('lib', '1.1.0')
  const second = await read()
  expect(second.etag).not.toBe(first.etag)
  expect(second.modified_ms).toBeGreaterThan(first.modified_ms)
  expect(Bun.gunzipSync(await second.gzip.bytes())).toEqual(second.body as Uint8Array<ArrayBuffer>)
  expect((await refusal(read('nothing'))).status).toBe(404)
  const hidden = world.call(readPackageDocument, mel, { ...npm('lib'), kind: 'full' })
  expect((await refusal(hidden)).status).toBe(404)
})
