import { expect, test } from 'bun:test'
import { getPull } from '#features/pulls/get-pull.ts'
import { updatePullBranch } from '#features/pulls/branches/update-pull-branch.ts'
import { refusal, withToken } from '../../../world.ts'
import { makePullWorld, REPO, text } from '../fixture.ts'

test('merges the base into the head of a fork, and nothing is behind any more', async () => {
  const { world, hearth, otto, ready, pull, row } = await makePullWorld()
  const number = await ready(otto)
  const head = pull(number).head_sha ?? ''
  const base = await world.commit(REPO, 'main', { 'a.txt': text({ 3: 'theirs' }) })
  const answer = await world.call(updatePullBranch, otto, {
    repo: REPO,
    number,
    expected_head: head,
  })
  expect(answer).toMatchObject({ mergeable: 'yes', blockers: [], revision: 2, changed_files: 1 })
  expect(await hearth.git.readCommit(row().store, answer.head?.sha ?? '')).toMatchObject({
    parents: [head, base],
    author: { name: 'otto' },
  })
  expect((await world.call(getPull, otto, { repo: REPO, number })).behind.by).toBe(0)
  // Nothing to do: nothing is pushed.
  expect((await world.call(updatePullBranch, otto, { repo: REPO, number })).head?.sha).toBe(
    answer.head?.sha ?? '',
  )
})

test('rebase replays the commits on the base', async () => {
  const { world, hearth, mel, fromBranch, row } = await makePullWorld()
  const number = await fromBranch(mel)
  const base = await world.commit(REPO, 'main', { 'a.txt': text({ 3: 'theirs' }) })
  const answer = await world.call(updatePullBranch, mel, { repo: REPO, number, method: 'rebase' })
  expect(await hearth.git.readCommit(row().store, answer.head?.sha ?? '')).toMatchObject({
    parents: [base],
    message: 'Change files\n',
  })
  expect(world.events('git.push').at(-1)?.data).toMatchObject({
    ref: 'refs/heads/feature',
    forced: true,
  })
})

test('conflicts are named, and the head stays', async () => {
  const { world, otto, ready, pull } = await makePullWorld()
  const number = await ready(otto)
  const head = pull(number).head_sha
  await world.commit(REPO, 'main', { 'b.txt': 'theirs\n' })
  for (const method of ['merge', 'rebase'] as const) {
    expect(
      await refusal(world.call(updatePullBranch, otto, { repo: REPO, number, method })),
    ).toMatchObject({ status: 409, reason: 'conflicts', details: { conflict_paths: ['b.txt'] } })
  }
  expect(pull(number).head_sha).toBe(head)
})

test('only for those who may push there, and for the head that they saw', async () => {
  const { world, ada, otto, max, ready, fromBranch, pull } = await makePullWorld()
  const number = await ready(otto)
  await world.commit(REPO, 'main', { 'a.txt': text({ 3: 'theirs' }) })
  expect(await refusal(world.call(updatePullBranch, ada, { repo: REPO, number }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(
    await refusal(
      world.call(updatePullBranch, otto, { repo: REPO, number, expected_head: '1234567' }),
    ),
  ).toMatchObject({ status: 409, reason: 'head_moved' })
  const other = await fromBranch(max)
  await world.commit(REPO, 'main', { 'a.txt': text({ 4: 'theirs' }) })
  expect(
    await refusal(world.call(updatePullBranch, otto, { repo: REPO, number: other })),
  ).toMatchObject({ status: 403, reason: 'role' })
  expect(
    await refusal(
      world.call(updatePullBranch, withToken(max, { scopes: ['pulls:read'] }), {
        repo: REPO,
        number: other,
      }),
    ),
  ).toMatchObject({ status: 403, reason: 'scope' })
  expect(pull(number).revision).toBe(1)
})
