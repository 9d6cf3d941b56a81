import { expect, test } from 'bun:test'
import { cancelImport } from '#features/imports/cancel-import.ts'
import { createImports } from '#features/imports/create-imports.ts'
import { listImports } from '#features/imports/list-imports.ts'
import { makeForgeWorld } from './forge-fixture.ts'

const it = await makeForgeWorld()
const { world, ada, bob, eve } = it

test('an import is listed for who started it, and for owners in their workspace', async () => {
  const peer = it.standIn('gitea_api')
  await world.call(createImports, bob, {
    source: 'gitea_api',
    workspace: 'acme',
    repos: [{ url: peer.url, name: 'of-bob' }],
  })
  await it.start('gitea_api', peer.url)
  const names = async (as: typeof ada, workspace?: string) =>
    (
      await world.call(listImports, as, { ...(workspace === undefined ? {} : { workspace }) })
    ).items.map(({ repo }) => repo)
  expect(await names(bob)).toEqual(['acme/of-bob'])
  expect(await names(bob, 'acme')).toEqual(['acme/of-bob'])
  expect(await names(ada)).toEqual(['acme/lamp-0'])
  expect(await names(ada, 'acme')).toContain('acme/of-bob')
  expect(await names(eve)).toEqual([])
  expect(await names(eve, 'acme')).toEqual([])
  const [first] = (await world.call(listImports, bob, { per_page: 1 })).items
  expect((await world.call(listImports, bob, { before: first?.id ?? '' })).items).toEqual([])
  await world.call(cancelImport, bob, { id: first?.id ?? '' })
  await peer.close()
})
