import { expect, test } from 'bun:test'
import { getPull } from '#features/pulls/get-pull.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

test('the same lines come first, then the same files, then a directory that one takes away', async () => {
  const { world, otto, ready } = await makePullWorld()
  await world.commit(REPO, 'main', {
    'src/old/one.txt': text(),
    'src/old/two.txt': text({ 1: 'two' }),
    'src/keep.txt': 'k\n',
  })
  const files = {
    'a.txt': text({ 3: 'mine' }),
    'b.txt': 'mine\n',
    'src/old/one.txt': null,
    'src/old/two.txt': null,
    'src/new/one.txt': text(),
    'src/new/two.txt': text({ 1: 'two' }),
  }
  const moves = await ready(otto, files)
  const inFolder = await ready(otto, { 'src/old/three.txt': 'new\n' })
  const sameFile = await ready(otto, { 'a.txt': text({ 18: 'theirs' }) })
  const sameLine = await ready(otto, { 'a.txt': text({ 3: 'theirs' }) })
  await ready(otto, { 'src/keep.txt': 'elsewhere\n' })
  await world.jobs()
  const found = async (number: number) =>
    (await world.call(getPull, otto, { repo: REPO, number })).overlaps
  expect(
    (await found(moves)).map(({ number, level, paths }) => [
      number,
      level,
      paths.map(({ path }) => path),
    ]),
  ).toEqual([
    [sameLine, 'lines', ['a.txt']],
    [sameFile, 'file', ['a.txt']],
    [inFolder, 'directory', ['src/old/three.txt']],
  ])
  expect((await found(moves))[0]?.paths).toEqual([{ path: 'a.txt', ranges: [[3, 3]] }])
  expect(await found(inFolder)).toMatchObject([
    { number: moves, level: 'directory', paths: [{ path: 'src/old/three.txt', ranges: [] }] },
  ])
})

test('a directory from which only some went is still there', async () => {
  const { world, otto, ready } = await makePullWorld()
  await world.commit(REPO, 'main', { 'src/one.txt': 'one\n', 'src/two.txt': 'two\n' })
  const number = await ready(otto, { 'src/one.txt': null })
  await ready(otto, { 'src/three.txt': 'new\n' })
  await world.jobs()
  expect((await world.call(getPull, otto, { repo: REPO, number })).overlaps).toEqual([])
})
