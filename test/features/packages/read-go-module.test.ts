import { expect, test } from 'bun:test'
import { parseModulePath } from '#features/packages/formats/go/module-path.ts'
import { readGoModule } from '#features/packages/read-go-module.ts'
import { createTag } from '#features/repos/tags/create-tag.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld } from './fixture.ts'

test('whoever reads the repository reads its modules', async () => {
  const { world, ada, rita, mel } = await makePackageWorld()
  const module = 'forge.example/acme/site'
  await world.commit('acme/site', 'main', { 'go.mod': `module ${module}\n` })
  await world.call(createTag, ada, { repo: 'acme/site', tag: 'v0.1.0', target: 'main' })
  const read = (who: typeof ada) =>
    world.call(readGoModule, who, {
      repo: 'acme/site',
      path: parseModulePath(module, 'acme'),
      kind: 'latest',
    })
  expect((await read(rita)).found).toMatchObject({ version: 'v0.1.0', folder: '' })
  expect((await refusal(read(mel))).status).toBe(404)
})

test('a commit that claims a time beyond all years has a version', async () => {
  const { world, ada } = await makePackageWorld()
  const module = 'forge.example/acme/site'
  await world.commit('acme/site', 'main', { 'go.mod': `module ${module}\n` }, { time: 1e14 })
  const path = parseModulePath(module, 'acme')
  const { found } = await world.call(readGoModule, ada, { repo: 'acme/site', path, kind: 'latest' })
  expect(found?.version).toMatch(/^v0\.0\.0-99991231235959-[0-9a-f]{12}$/)
})
