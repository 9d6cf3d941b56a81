import { expect, test } from 'bun:test'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { removeForks } from '#features/pulls/branches/remove-forks.ts'
import { reopenPull } from '#features/pulls/lifecycle/reopen-pull.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO } from '../fixture.ts'

test('comes back as it was, with what was pushed meanwhile', async () => {
  const { world, otto, ready, draft, fork, ref, pull, row } = await makePullWorld()
  const open = await ready(otto)
  const asDraft = await draft(otto, { 'c.txt': 'c\n' })
  for (const number of [open, asDraft]) await world.call(closePull, otto, { repo: REPO, number })
  const before = pull(open).head_sha
  await world.commit(fork(open), 'main', { 'd.txt': 'd\n' }, { as: otto })
  await world.commit(REPO, 'main', { 'e.txt': 'e\n' })
  expect(pull(open).head_sha).toBe(before)
  expect(await world.call(reopenPull, otto, { repo: REPO, number: open })).toMatchObject({
    status: 'open',
    closed_at: null,
    head: { sha: ref('main', fork(open)) },
    base: { sha: ref('main') },
  })
  expect(pull(open).base_sha).toBe(ref('main') ?? '')
  expect((await world.call(reopenPull, otto, { repo: REPO, number: asDraft })).status).toBe('draft')
  expect(row().open_pulls_count).toBe(2)
  const told = world.events().length
  expect((await world.call(reopenPull, otto, { repo: REPO, number: open })).status).toBe('open')
  expect(world.events()).toHaveLength(told)
})

test('not when it was merged or superseded, when its branch is gone, or when another took its place', async () => {
  const { world, ada, mel, otto, ready, draft, issue, fromBranch, push, ref, pull } =
    await makePullWorld({ require_up_to_date: false })
  const of = await issue()
  const merged = await ready(otto, undefined, { issue: of })
  const sibling = await draft(otto, { 'c.txt': 'c\n' }, { issue: of })
  await world.call(mergePull, ada, { repo: REPO, number: merged })
  const branch = await fromBranch(mel, 'feature', { 'd.txt': 'd\n' })
  await push(REPO, 'feature', null)
  for (const number of [merged, sibling, branch]) {
    expect(await refusal(world.call(reopenPull, ada, { repo: REPO, number }))).toMatchObject({
      status: 409,
      reason: 'not_open',
    })
  }
  expect(pull(sibling).superseded_by).toBe(merged)
  const first = await fromBranch(mel, 'other', { 'f.txt': 'f\n' })
  await world.call(closePull, mel, { repo: REPO, number: first })
  const { createPull } = await import('#features/pulls/lifecycle/create-pull.ts')
  const { pull: second } = await world.call(createPull, mel, {
    repo: REPO,
    title: 'Again',
    branch: 'other',
  })
  expect(await refusal(world.call(reopenPull, mel, { repo: REPO, number: first }))).toMatchObject({
    status: 409,
    reason: 'already_exists',
    details: { number: second.number },
  })
  expect(ref('other')).not.toBeNull()
})

test('not once its fork was removed, 30 days after it was closed', async () => {
  const { world, hearth, otto, draft, count } = await makePullWorld()
  const number = await draft(otto)
  const kept = await draft(otto)
  await world.call(closePull, otto, { repo: REPO, number })
  const sweep = () =>
    removeForks.run({ hearth, signal: new AbortController().signal, attempt: 1, id: 'test' }, null)
  world.clock.advance(30 * DAY)
  await sweep()
  expect(count('repos')).toBe(3)
  world.clock.advance(1000)
  await sweep()
  expect(count('repos')).toBe(2)
  expect(await refusal(world.call(reopenPull, otto, { repo: REPO, number }))).toMatchObject({
    status: 409,
    reason: 'not_open',
  })
  const { getPull } = await import('#features/pulls/get-pull.ts')
  expect(await world.call(getPull, otto, { repo: REPO, number })).toMatchObject({
    status: 'closed',
    fork: null,
    branch: null,
  })
  expect(await world.call(getPull, otto, { repo: REPO, number: kept })).toMatchObject({
    status: 'draft',
    fork: { full_name: `${REPO}/pull/${kept}` },
  })
})

test('is for its author or triage', async () => {
  const { world, otto, draft } = await makePullWorld()
  const number = await draft(otto)
  await world.call(closePull, otto, { repo: REPO, number })
  expect(
    await refusal(world.call(reopenPull, await world.user('noel'), { repo: REPO, number })),
  ).toMatchObject({ status: 403, reason: 'role' })
})
