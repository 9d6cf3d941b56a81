import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getTree } from '#features/repos/files/get-tree.ts'
import { makeCode, repo } from '../code.ts'
import { refusal } from '../../../world.ts'

const { world, one, two } = await makeCode()

test('a directory tells of the last commit of each entry', async () => {
  const { items } = await world.call(getTree, anonymous, { repo, ref: 'main' })
  expect(items.map(({ name, type }) => [name, type]).sort()).toEqual([
    ['a.ts', 'file'],
    ['docs', 'dir'],
  ])
  expect(items.find(({ name }) => name === 'a.ts')).toMatchObject({
    size: 4,
    last_commit: { sha: two, title: 'Two' },
  })
  expect(items.find(({ name }) => name === 'docs')).toMatchObject({
    size: null,
    last_commit: { sha: one },
  })
  expect(
    (await world.call(getTree, anonymous, { repo, ref: 'main', path: 'docs/' })).items[0],
  ).toMatchObject({ path: 'docs/guide.md', name: 'guide.md' })
  const all = await world.call(getTree, anonymous, { repo, ref: 'main', recursive: true })
  expect(all.items.map(({ path }) => path)).toContain('docs/guide.md')
  expect(
    (await refusal(world.call(getTree, anonymous, { repo, ref: 'main', path: 'nope' }))).status,
  ).toBe(404)
})

test('without a ref it is the default branch', async () => {
  const { items } = await world.call(getTree, anonymous, { repo })
  expect(items).toEqual((await world.call(getTree, anonymous, { repo, ref: 'main' })).items)
  expect((await world.call(getTree, anonymous, { repo, path: 'docs' })).items[0]).toMatchObject({
    path: 'docs/guide.md',
  })
})

test('an empty repository is an empty directory', async () => {
  await world.repo('acme/empty')
  expect((await world.call(getTree, anonymous, { repo: 'acme/empty', ref: 'HEAD' })).items).toEqual(
    [],
  )
})
