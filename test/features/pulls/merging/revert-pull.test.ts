import { describe, expect, test } from 'bun:test'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { revertPull } from '#features/pulls/merging/revert-pull.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

describe('takes back what landed', () => {
  for (const method of ['merge', 'squash', 'rebase'] as const) {
    test(method, async () => {
      const { world, hearth, mel, otto, draft, fork, row, ref } = await makePullWorld()
      const number = await draft(otto, { 'b.txt': 'changed\n' })
      await world.commit(
        fork(number),
        'main',
        { 'new.txt': 'new\n', 'a.txt': text({ 2: 'two' }) },
        { as: otto },
      )
      const { markPullReady } = await import('#features/pulls/lifecycle/mark-pull-ready.ts')
      await world.call(markPullReady, otto, { repo: REPO, number, summary: 'Done' })
      const before = ref('main') ?? ''
      await world.call(mergePull, mel, { repo: REPO, number, method })
      // What came later stays.
      await world.commit(REPO, 'main', { 'a.txt': text({ 2: 'two', 19: 'later' }) })
      const { pull, git } = await world.call(revertPull, mel, { repo: REPO, number })
      expect(pull).toMatchObject({
        status: 'open',
        fork: null,
        branch: `revert-${number}`,
        title: 'Revert “Change it”',
        body: `Takes #${number} back.`,
        changed_files: 3,
        blockers: [],
      })
      expect(git).toMatchObject({ branch: `revert-${number}` })
      await world.call(mergePull, mel, { repo: REPO, number: pull.number })
      const left = await hearth.git.diff(row().store, before, ref('main'))
      expect(left.files.map(({ path, additions }) => [path, additions])).toEqual([['a.txt', 1]])
    })
  }
})

test('a second time it names the first; what is not merged cannot be taken back', async () => {
  const { world, mel, otto, ready } = await makePullWorld()
  const number = await ready(otto)
  expect(await refusal(world.call(revertPull, mel, { repo: REPO, number }))).toMatchObject({
    status: 409,
    reason: 'not_ready',
  })
  await world.call(mergePull, mel, { repo: REPO, number })
  const { pull } = await world.call(revertPull, mel, {
    repo: REPO,
    number,
    title: 'Undo',
    body: 'Sorry',
  })
  expect(pull).toMatchObject({ title: 'Undo', body: 'Sorry' })
  expect(await refusal(world.call(revertPull, mel, { repo: REPO, number }))).toMatchObject({
    status: 409,
    reason: 'already_exists',
    details: { number: pull.number },
  })
})

test('later changes of the same lines are conflicts, and nothing is made', async () => {
  const { world, mel, otto, ready, ref } = await makePullWorld()
  const number = await ready(otto)
  await world.call(mergePull, mel, { repo: REPO, number })
  await world.commit(REPO, 'main', { 'b.txt': 'later\n' })
  expect(await refusal(world.call(revertPull, mel, { repo: REPO, number }))).toMatchObject({
    status: 409,
    reason: 'conflicts',
    details: { conflict_paths: ['b.txt'] },
  })
  expect(ref(`revert-${number}`)).toBeNull()
})

test('nothing to take back when it was undone by hand, and only with write', async () => {
  const { world, mel, otto, ready } = await makePullWorld()
  const number = await ready(otto)
  await world.call(mergePull, mel, { repo: REPO, number })
  expect(await refusal(world.call(revertPull, otto, { repo: REPO, number }))).toMatchObject({
    status: 403,
  })
  await world.commit(REPO, 'main', { 'b.txt': 'b\n' })
  expect(await refusal(world.call(revertPull, mel, { repo: REPO, number }))).toMatchObject({
    status: 409,
    reason: 'not_ready',
  })
})
