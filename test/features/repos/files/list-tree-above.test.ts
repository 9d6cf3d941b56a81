import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listTreeAbove } from '#features/repos/files/list-tree-above.ts'
import { makeWorld } from '../../../world.ts'

const repo = 'acme/site'
const world = await makeWorld()
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
await world.repo(repo, { as: ada })
await world.commit(repo, 'main', {
  'a.ts': '',
  'b.ts': '',
  'z/inner/deep.ts': '',
  'z/x.ts': '',
  [`${'d/'.repeat(25)}file`]: '',
})

const above = async (path: string, most = 10) =>
  (await world.call(listTreeAbove, anonymous, { repo, ref: 'main', path, most })).folders

test('each folder on the way down is listed, folders first', async () => {
  expect(await above('z/inner')).toEqual([
    {
      path: '',
      entries: [
        { name: 'd', folder: true },
        { name: 'z', folder: true },
        { name: 'a.ts', folder: false },
        { name: 'b.ts', folder: false },
      ],
      more: 0,
    },
    {
      path: 'z',
      entries: [
        { name: 'inner', folder: true },
        { name: 'x.ts', folder: false },
      ],
      more: 0,
    },
    { path: 'z/inner', entries: [{ name: 'deep.ts', folder: false }], more: 0 },
  ])
})

test('a large folder is cut, but the way down stays', async () => {
  const [root] = await above('z', 1)
  expect(root).toEqual({
    path: '',
    entries: [
      { name: 'd', folder: true },
      { name: 'z', folder: true },
    ],
    more: 2,
  })
})

test('a very deep path has no tree', async () => {
  expect(await above('d/'.repeat(25))).toEqual([])
})
