import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { findFiles } from '#features/repos/files/find-files.ts'
import { makeWorld } from '../../../world.ts'

const repo = 'acme/site'
const world = await makeWorld()
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
await world.repo(repo, { as: ada })
await world.repo('acme/secret', { as: ada, private: true })
const FILES = ['README.md', 'src/oven.ts', 'src/app/Oven.test.ts', 'docs/oven/heat.md', 'a/b/c.ts']
await world.commit(repo, 'main', Object.fromEntries(FILES.map((path) => [path, path])))

const find = async (query: string, most = 10) =>
  (await world.call(findFiles, anonymous, { repo, ref: 'main', query, most })).paths

test('names come before folders, and whole words before scattered letters', async () => {
  expect(await find('oven')).toEqual(['src/oven.ts', 'src/app/Oven.test.ts', 'docs/oven/heat.md'])
  expect(await find('OVEN.TS')).toEqual(['src/oven.ts', 'src/app/Oven.test.ts'])
  expect(await find('s o v')).toEqual(['src/oven.ts', 'docs/oven/heat.md', 'src/app/Oven.test.ts'])
  expect(await find('abc')).toEqual(['a/b/c.ts'])
  expect(await find('zebra')).toEqual([])
})

test('folders are not files, and only as many as are wanted are listed', async () => {
  expect([...(await find('', 10))].sort()).toEqual([...FILES].sort())
  expect(await find('oven', 1)).toEqual(['src/oven.ts'])
  expect(await find('docs/oven/')).toEqual(['docs/oven/heat.md'])
})

test('a commit is searched as it is, not as the branch was before', async () => {
  expect(await find('later')).toEqual([])
  await world.commit(repo, 'main', { 'later.txt': 'x' })
  expect(await find('later')).toEqual(['later.txt'])
})

test('an empty repository has no files; a private one is not found', async () => {
  await world.repo('acme/empty', { as: ada })
  const empty = { repo: 'acme/empty', ref: 'HEAD', query: 'a', most: 5 }
  expect(await world.call(findFiles, anonymous, empty)).toEqual({ paths: [], complete: true })
  const secret = { ...empty, repo: 'acme/secret' }
  expect(
    await world.call(findFiles, anonymous, secret).catch(({ code }: { code: string }) => code),
  ).toBe('not_found')
})
