import { expect, test } from 'bun:test'
import { createMilestone } from '#features/issues/milestones/create-milestone.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, otto } = await makeIssueWorld()
const repo = 'acme/site'
const create = (input: object = {}, caller: typeof ada = ada) =>
  world.call(createMilestone, caller, { repo, title: 'One', ...input })

await create()

test('creating needs triage, a title of its own and a date-time', async () => {
  expect(await refusal(create({ title: 'Mine' }, otto))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(await refusal(create({ title: 'one' }))).toMatchObject({
    status: 409,
    reason: 'already_exists',
  })
  for (const [input, field] of [
    [{ title: ' ' }, 'title'],
    [{ title: 'a\nb' }, 'title'],
    [{ title: 'New', due_on: '2026-13-01' }, 'due_on'],
  ] as const) {
    expect(await refusal(create(input))).toMatchObject({ status: 422, field })
  }
})
