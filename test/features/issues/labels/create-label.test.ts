import { describe, expect, test } from 'bun:test'
import type { anonymous } from '#core/caller.ts'
import { createLabel } from '#features/issues/labels/create-label.ts'
import { listLabels } from '#features/issues/labels/list-labels.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, otto, as } = await makeIssueWorld()
const repo = 'acme/site'
const list = async (name = repo, caller: typeof ada | typeof anonymous = ada) =>
  (await world.call(listLabels, caller, { repo: name })).items

describe('create_label', () => {
  const create = (caller: typeof ada, input: object) =>
    world.call(createLabel, caller, { repo, name: 'urgent', ...input })

  test('makes one with the colour given or picked', async () => {
    expect(
      await create(as('triage'), {
        name: ' Needs Design ',
        color: '#ABCDEF',
        description: 'Ask first',
      }),
    ).toMatchObject({
      name: 'Needs Design',
      color: 'abcdef',
      description: 'Ask first',
      issues_count: 0,
    })
    expect((await create(ada, { name: 'plain' })).color).toMatch(/^[0-9a-f]{6}$/)
  })

  test('refuses a name in use in any case, and what is not as it must be', async () => {
    expect(await refusal(create(ada, { name: 'needs DESIGN' }))).toMatchObject({
      status: 409,
      reason: 'already_exists',
    })
    const bad: [object, string][] = [
      [{ name: '' }, 'name'],
      [{ name: ' ' }, 'name'],
      [{ name: 'a,b' }, 'name'],
      [{ name: 'x'.repeat(51) }, 'name'],
      [{ color: 'red' }, 'color'],
      [{ color: 'zzzzzz' }, 'color'],
      [{ color: '#12345' }, 'color'],
      [{ description: 'x'.repeat(201) }, 'description'],
    ]
    for (const [input, field] of bad)
      expect(await refusal(create(ada, input))).toMatchObject({ status: 422, field })
  })

  test('needs triage', async () => {
    expect(await refusal(create(otto, {}))).toMatchObject({ status: 403, reason: 'role' })
    expect(await refusal(create(as('read'), {}))).toMatchObject({ status: 403, reason: 'role' })
    expect((await list()).map(({ name }) => name)).not.toContain('urgent')
  })
})
