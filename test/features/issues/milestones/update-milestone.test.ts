import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createMilestone } from '#features/issues/milestones/create-milestone.ts'
import { listMilestones } from '#features/issues/milestones/list-milestones.ts'
import { updateMilestone } from '#features/issues/milestones/update-milestone.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, as } = await makeIssueWorld()
const repo = 'acme/site'
const create = (input: object = {}, caller: typeof ada = ada) =>
  world.call(createMilestone, caller, { repo, title: 'One', ...input })
const titles = async (input: object = {}) =>
  (await world.call(listMilestones, anonymous, { repo, ...input })).items.map(({ title }) => title)

await create()

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
