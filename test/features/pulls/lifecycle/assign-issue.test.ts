import { expect, test } from 'bun:test'
import { assignIssue } from '#features/pulls/lifecycle/assign-issue.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { refusal } from '../../../world.ts'
import { makePullWorld, REPO } from '../fixture.ts'

test('without a model the built-in agent cannot take an issue, and nothing is opened', async () => {
  const { world, mel, otto, issue, ready, count } = await makePullWorld()
  const number = await issue()
  expect(
    await refusal(world.call(assignIssue, mel, { repo: REPO, number, instructions: 'Be quick' })),
  ).toMatchObject({ status: 409, reason: 'model_not_configured' })
  expect(await refusal(world.call(assignIssue, otto, { repo: REPO, number }))).toMatchObject({
    status: 403,
  })
  expect(count('pulls')).toBe(0)
  await world.call(closeIssue, otto, { repo: REPO, number })
  expect(await refusal(world.call(assignIssue, mel, { repo: REPO, number }))).toMatchObject({
    status: 422,
    field: 'number',
  })
  expect(
    await refusal(world.call(assignIssue, mel, { repo: REPO, number: await ready(otto) })),
  ).toMatchObject({ status: 404 })
})
