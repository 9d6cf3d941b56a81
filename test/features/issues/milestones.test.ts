import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { createMilestone } from '#features/issues/create-milestone.ts'
import { deleteMilestone } from '#features/issues/delete-milestone.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { listMilestones } from '#features/issues/list-milestones.ts'
import { updateMilestone } from '#features/issues/update-milestone.ts'
import { refusal } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, ada, otto, as, issue } = await makeIssueWorld()
const repo = 'acme/site'
const create = (input: object = {}, caller: typeof ada = ada) =>
  world.call(createMilestone, caller, { repo, title: 'One', ...input })
const titles = async (input: object = {}) =>
  (await world.call(listMilestones, anonymous, { repo, ...input })).items.map(({ title }) => title)

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

describe('update_milestone', () => {
  test('closes and reopens, and lists follow', async () => {
    const { id } = await create({ title: 'Two' })
    expect(await titles()).toEqual(['Two', 'One'])
    expect(
      await world.call(updateMilestone, as('triage'), {
        repo,
        id,
        state: 'closed',
        title: 'Second',
      }),
    ).toMatchObject({
      title: 'Second',
      state: 'closed',
      closed_at: '2026-03-01T12:00:00.000Z',
    })
    expect(await titles()).toEqual(['One'])
    expect(await titles({ state: 'closed' })).toEqual(['Second'])
    expect(await titles({ state: 'all' })).toEqual(['Second', 'One'])
    expect(
      await world.call(updateMilestone, ada, { repo, id, state: 'open', due_on: null }),
    ).toMatchObject({ state: 'open', closed_at: null, due_on: null })
  })

  test('refuses the title of another, strange dates, other ids and those below triage', async () => {
    const { id } = await create({ title: 'Three' })
    expect(
      await refusal(world.call(updateMilestone, ada, { repo, id, title: 'ONE' })),
    ).toMatchObject({ status: 409, reason: 'already_exists' })
    expect(
      await refusal(world.call(updateMilestone, ada, { repo, id, due_on: 'soon' })),
    ).toMatchObject({ status: 422, field: 'due_on' })
    expect(
      await refusal(world.call(updateMilestone, ada, { repo: 'acme/vault', id, title: 'x' })),
    ).toMatchObject({ status: 404 })
    expect(
      await refusal(world.call(updateMilestone, ada, { repo, id: 'mls_nope', title: 'x' })),
    ).toMatchObject({ status: 404 })
    expect(
      await refusal(world.call(updateMilestone, as('read'), { repo, id, title: 'x' })),
    ).toMatchObject({ status: 403, reason: 'role' })
  })
})

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
