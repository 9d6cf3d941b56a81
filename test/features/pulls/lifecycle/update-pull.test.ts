import { expect, test } from 'bun:test'
import { getIssue } from '#features/issues/get-issue.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { refusal, withToken } from '../../../world.ts'
import { makePullWorld, REPO } from '../fixture.ts'

test('changes what is given and tells of what changed', async () => {
  const { world, mel, draft, otto, issue } = await makePullWorld()
  const of = await issue()
  const number = await draft(otto, undefined, { issue: of })
  const pull = await world.call(updatePull, mel, {
    repo: REPO,
    number,
    title: ' New title ',
    body: 'New',
    labels: ['bug', 'new one'],
    assignees: ['mel'],
    auto_merge: true,
  })
  expect(pull).toMatchObject({
    title: 'New title',
    body: 'New',
    labels: ['bug', 'new one'],
    assignees: [{ username: 'mel' }],
    auto_merge: true,
  })
  expect(world.events('pull.updated').at(-1)?.data).toMatchObject({
    number,
    issue: of,
    changed: ['title', 'body', 'labels', 'assignees', 'auto_merge'],
  })
  expect((await world.call(getIssue, mel, { repo: REPO, number: of })).pulls).toMatchObject([
    { title: 'New title' },
  ])
  const told = world.events().length
  await world.call(updatePull, mel, {
    repo: REPO,
    number,
    title: 'New title',
    labels: ['new one', 'bug'],
  })
  expect(world.events()).toHaveLength(told)
})

test('switching auto_merge on asks for a merge, and is told of once', async () => {
  const { world, mel, draft } = await makePullWorld()
  const number = await draft(mel)
  await world.call(updatePull, mel, { repo: REPO, number, auto_merge: true })
  await world.call(updatePull, mel, { repo: REPO, number, auto_merge: true })
  expect(
    world.events('pull.merge_requested').map(({ actor_id, data }) => [actor_id, data]),
  ).toEqual([[mel.id, { number, issue: null }]])
  await world.call(updatePull, mel, { repo: REPO, number, auto_merge: false, title: 'Another' })
  expect(world.events('pull.merge_requested')).toHaveLength(1)
})

test('its author may change the words; labels and assignees need triage, auto_merge needs write', async () => {
  const { world, mel, otto, draft, pull } = await makePullWorld()
  const number = await draft(otto)
  const noel = await world.user('noel')
  expect(
    await refusal(world.call(updatePull, noel, { repo: REPO, number, title: 'x' })),
  ).toMatchObject({ status: 403, reason: 'role' })
  expect((await world.call(updatePull, otto, { repo: REPO, number, title: 'Mine' })).title).toBe(
    'Mine',
  )
  for (const input of [{ labels: ['bug'] }, { assignees: ['otto'] }, { auto_merge: true }]) {
    expect(
      await refusal(
        world.call(updatePull, otto, { repo: REPO, number, title: 'Not kept', ...input }),
      ),
    ).toMatchObject({ status: 403, reason: 'role' })
  }
  expect(
    await refusal(
      world.call(updatePull, withToken(mel, { role: 'triage' }), {
        repo: REPO,
        number,
        auto_merge: true,
      }),
    ),
  ).toMatchObject({ status: 403, reason: 'role' })
  expect(
    await refusal(world.call(updatePull, otto, { repo: REPO, number, title: 'a\nb' })),
  ).toMatchObject({ status: 422, field: 'title' })
  expect(pull(number).title).toBe('Mine')
})

test('another base: what is compared changes, and an approval of another change is stale', async () => {
  const { world, mel, otto, ready, push, ref } = await makePullWorld()
  await push(REPO, 'stable', ref('main'))
  await world.commit(REPO, 'main', { 'c.txt': 'c\n' })
  const number = await ready(otto)
  expect(
    await world.call(reviewPull, mel, { repo: REPO, number, verdict: 'approve' }),
  ).toMatchObject({ counted: true })
  await world.call(updatePull, otto, { repo: REPO, number, base: 'stable' })
  const detail = await world.call(getPull, otto, { repo: REPO, number })
  expect(detail).toMatchObject({
    base: { ref: 'stable', sha: ref('stable') },
    commits_count: 2,
    changed_files: 2,
    reviews: [{ stale: true, counted: false }],
  })
  expect(
    await refusal(world.call(updatePull, otto, { repo: REPO, number, base: 'nothing' })),
  ).toMatchObject({ status: 422, field: 'base' })
})

test('the base of one from a branch cannot be its branch, nor that of another one for it', async () => {
  const { world, mel, fromBranch, push, ref } = await makePullWorld()
  await push(REPO, 'stable', ref('main'))
  const first = await fromBranch(mel)
  const { createPull } = await import('#features/pulls/lifecycle/create-pull.ts')
  const { pull: second } = await world.call(createPull, mel, {
    repo: REPO,
    title: 'x',
    branch: 'feature',
    base: 'stable',
  })
  expect(
    await refusal(world.call(updatePull, mel, { repo: REPO, number: first, base: 'feature' })),
  ).toMatchObject({ status: 422, field: 'base' })
  expect(
    await refusal(world.call(updatePull, mel, { repo: REPO, number: first, base: 'stable' })),
  ).toMatchObject({ status: 409, reason: 'already_exists', details: { number: second.number } })
})
