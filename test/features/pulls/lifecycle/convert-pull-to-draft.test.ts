import { expect, test } from 'bun:test'
import { convertPullToDraft } from '#features/pulls/lifecycle/convert-pull-to-draft.ts'
import { markPullReady } from '#features/pulls/lifecycle/mark-pull-ready.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO } from '../fixture.ts'

test('makes an open one a draft again, once', async () => {
  const { world, otto, ready } = await makePullWorld()
  const number = await ready(otto)
  expect(await world.call(convertPullToDraft, otto, { repo: REPO, number })).toMatchObject({
    status: 'draft',
    revision: 1,
  })
  expect(world.events('pull.updated').at(-1)?.data).toMatchObject({ number, changed: ['status'] })
  const told = world.events().length
  expect((await world.call(convertPullToDraft, otto, { repo: REPO, number })).status).toBe('draft')
  expect(world.events()).toHaveLength(told)
  expect(await world.call(markPullReady, otto, { repo: REPO, number, summary: 'x' })).toMatchObject(
    { status: 'open', revision: 1 },
  )
})

test('is for its author or write, and not for a settled one', async () => {
  const { world, ada, otto, ready } = await makePullWorld()
  const number = await ready(otto)
  expect(
    await refusal(world.call(convertPullToDraft, await world.user('noel'), { repo: REPO, number })),
  ).toMatchObject({ status: 403, reason: 'role' })
  await world.call(mergePull, ada, { repo: REPO, number })
  expect(await refusal(world.call(convertPullToDraft, otto, { repo: REPO, number }))).toMatchObject(
    { status: 409, reason: 'not_open' },
  )
})
