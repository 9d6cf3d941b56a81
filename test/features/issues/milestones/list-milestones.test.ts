import { expect, test } from 'bun:test'
import { closeIssue } from '#features/issues/close-issue.ts'
import { createMilestone } from '#features/issues/milestones/create-milestone.ts'
import { listMilestones } from '#features/issues/milestones/list-milestones.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, as, issue } = await makeIssueWorld()
const repo = 'acme/site'
const create = (input: object = {}, caller: typeof ada = ada) =>
  world.call(createMilestone, caller, { repo, title: 'One', ...input })

test('a milestone counts its issues, open and closed', async () => {
  const made = await create(
    { title: 'One', description: 'First', due_on: '2026-05-01T00:00:00Z' },
    as('triage'),
  )
  expect(made).toMatchObject({
    title: 'One',
    description: 'First',
    due_on: '2026-05-01T00:00:00.000Z',
    state: 'open',
    open_count: 0,
    closed_count: 0,
    closed_at: null,
  })
  await issue({ milestone: 'One' })
  await world.call(closeIssue, ada, { repo, number: await issue({ milestone: 'One' }) })
  expect((await world.call(listMilestones, ada, { repo })).items).toMatchObject([
    { id: made.id, open_count: 1, closed_count: 1 },
  ])
})

test('a part of the title narrows the list', async () => {
  for (const title of ['Spring 1', 'Spring 2', '100%']) await create({ title })
  const find = async (q: string) =>
    (await world.call(listMilestones, ada, { repo, q })).items.map(({ title }) => title)
  expect(await find('SPRING')).toEqual(['Spring 2', 'Spring 1'])
  expect(await find('%')).toEqual(['100%'])
})
