import { expect, test } from 'bun:test'
import { getPackageVersion } from '#features/packages/get-package-version.ts'
import { removeImageContent } from '#features/packages/images/remove-image-content.ts'
import { refusal, withToken } from '../../../world.ts'
import { image, makeImageWorld } from '../image-fixture.ts'

test('a removed tag leaves its manifest under another name; a removed manifest can be restored', async () => {
  const { world, ada, push } = await makeImageWorld()
  const digest = await push('one', ['v1'])
  const remove = (kind: 'tag' | 'manifest' | 'blob', reference: string, who = ada) =>
    world.call(removeImageContent, who, { ...image, kind, reference })
  const writer = withToken(ada, { scopes: ['packages:write'] })
  expect(await refusal(remove('tag', 'v1', writer))).toMatchObject({ reason: 'scope' })
  await remove('tag', 'v1')
  expect((await refusal(remove('tag', 'v1'))).status).toBe(404)
  const version = await world.call(getPackageVersion, ada, { ...image, version: digest })
  expect(version).toMatchObject({ version: digest, tags: [] })
  await remove('manifest', digest)
  const deleted = await world.call(getPackageVersion, ada, { ...image, version: digest })
  expect(deleted.purge_at).not.toBeNull()
  expect((await refusal(remove('manifest', digest))).status).toBe(404)
})
