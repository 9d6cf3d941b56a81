import { expect, test } from 'bun:test'
import { createTag } from '#features/repos/tags/create-tag.ts'
import { fileAtEnd, locateFiles } from '#features/repos/files/locate-files.ts'
import { repoById } from '#features/repos/store/repos.ts'
import { makeWorld } from '../../../world.ts'

test('a file is found by the end of a path, unless two fit as well', () => {
  const files = ['src/cart.ts', 'web/cart.ts', 'shop/src/cart.ts', 'other/cart.tsx']
  expect(fileAtEnd('srv/app/web/cart.ts', files)).toBe('web/cart.ts')
  expect(fileAtEnd('srv/shop/src/cart.ts', files)).toBe('shop/src/cart.ts')
  expect(fileAtEnd('srv/src/cart.ts', files)).toBe('src/cart.ts')
  expect(fileAtEnd('cart.ts', files)).toBeNull()
  expect(fileAtEnd('lib/cart.ts', files)).toBeNull()
  expect(fileAtEnd('cart.ts', ['src/cart.ts'])).toBe('src/cart.ts')
  expect(fileAtEnd('build/art.ts', ['cart.ts'])).toBeNull()
})

test('files are located at the release, else at the default branch', async () => {
  const repo = 'acme/site'
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  const { id } = await world.repo(repo, { as: ada })
  const found = repoById(world.hearth.db, id)
  if (!found) throw new TypeError('the repository is there')
  const locate = (revisions: string[], ...files: string[][]) =>
    locateFiles(world.hearth, found, { revisions, files })
  expect(await locate([], ['a.ts'])).toBeNull()
  await world.commit(repo, 'main', { 'src/old.ts': '1' })
  const tag = await world.call(createTag, ada, { repo, tag: 'v1', target: 'main' })
  await world.commit(repo, 'main', { 'src/new.ts': '1' })

  const newest = await locate(['refs/tags/v2', 'ffffffff'], ['src/new.ts'], ['x.ts', 'new.ts'], [])
  expect(newest?.paths).toEqual(['src/new.ts', 'src/new.ts', null])
  const released = await locate(['refs/tags/v2', 'refs/tags/v1'], ['src/old.ts'], ['src/new.ts'])
  expect(released?.paths).toEqual(['src/old.ts', null])
  expect(released?.commit).not.toBe(newest?.commit ?? '')
  expect(tag.target).toBe(released?.commit ?? '')
  expect((await locate([], ...Array.from({ length: 300 }, () => ['old.ts'])))?.paths).toHaveLength(
    300,
  )
})
