import { expect, test } from 'bun:test'
import { createMilestone } from '#features/issues/milestones/create-milestone.ts'
import { deleteMilestone } from '#features/issues/milestones/delete-milestone.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, as, issue } = await makeIssueWorld()
const repo = 'acme/site'
const create = (input: object = {}, caller: typeof ada = ada) =>
  world.call(createMilestone, caller, { repo, title: 'One', ...input })

test('a deleted milestone leaves its issues without one', async () => {
  const { id } = await create({ title: 'Gone' })
  const number = await issue({ milestone: id })
  expect(await refusal(world.call(deleteMilestone, as('read'), { repo, id }))).toMatchObject({
    status: 403,
  })
  expect(await world.call(deleteMilestone, as('triage'), { repo, id })).toBeNull()
  expect((await world.call(getIssue, ada, { repo, number })).issue.milestone).toBeNull()
  expect(await refusal(world.call(deleteMilestone, ada, { repo, id }))).toMatchObject({
    status: 404,
  })
})
