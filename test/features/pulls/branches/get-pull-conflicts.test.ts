import { expect, test } from 'bun:test'
import { getPullConflicts } from '#features/pulls/branches/get-pull-conflicts.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

test('the conflicts have three versions, and a deletion has none', async () => {
  const { world, mel, ref, fromBranch } = await makePullWorld()
  const number = await fromBranch(mel, 'feature', {
    'a.txt': text({ 3: 'three of mel', 15: 'fifteen' }),
    'b.txt': 'b of mel\n',
  })
  await world.commit(REPO, 'main', {
    'a.txt': text({ 3: 'three of ada', 8: 'eight' }),
    'b.txt': null,
  })
  const conflicts = await world.call(getPullConflicts, mel, { repo: REPO, number })
  expect(conflicts).toEqual({
    head_sha: ref('feature') ?? '',
    base_sha: ref('main') ?? '',
    total: 2,
    files: [
      {
        path: 'a.txt',
        resolvable: true,
        in_ancestor: true,
        in_head: true,
        in_base: true,
        parts: [
          { merged: 'line 1\nline 2\n', conflict: null },
          {
            merged: null,
            conflict: { ancestor: 'line 3\n', head: 'three of mel\n', base: 'three of ada\n' },
          },
          {
            merged: text({ 8: 'eight', 15: 'fifteen' }).slice('line 1\nline 2\nline 3\n'.length),
            conflict: null,
          },
        ],
      },
      {
        path: 'b.txt',
        resolvable: true,
        in_ancestor: true,
        in_head: true,
        in_base: false,
        parts: null,
      },
    ],
  })
})

test('text that is not UTF-8 and very large files are named without their text', async () => {
  const { world, mel, fromBranch } = await makePullWorld()
  const large = 'x\n'.repeat(400_000)
  await world.commit(REPO, 'main', { 'large.txt': large, 'bytes.dat': 'a\0b' })
  const number = await fromBranch(mel, 'feature', {
    'large.txt': `${large}mine\n`,
    'bytes.dat': 'a\0mine',
  })
  await world.commit(REPO, 'main', { 'large.txt': `${large}theirs\n`, 'bytes.dat': 'a\0theirs' })
  const { files, total } = await world.call(getPullConflicts, mel, { repo: REPO, number })
  expect(total).toBe(2)
  expect(files.map(({ path, resolvable, parts }) => [path, resolvable, parts])).toEqual([
    ['bytes.dat', true, null],
    ['large.txt', true, null],
  ])
})

test('there is nothing to read of one that is closed, or that nothing was pushed to', async () => {
  const { world, mel, fromBranch } = await makePullWorld()
  const { pull } = await world.call(createPull, mel, { repo: REPO, title: 'Later' })
  expect(
    await refusal(world.call(getPullConflicts, mel, { repo: REPO, number: pull.number })),
  ).toMatchObject({ status: 409, reason: 'not_ready' })
  const number = await fromBranch(mel)
  expect((await world.call(getPullConflicts, mel, { repo: REPO, number })).files).toEqual([])
  await world.call(closePull, mel, { repo: REPO, number })
  expect(await refusal(world.call(getPullConflicts, mel, { repo: REPO, number }))).toMatchObject({
    status: 409,
    reason: 'not_open',
  })
})
