import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { createLabel } from '#features/issues/create-label.ts'
import { deleteLabel } from '#features/issues/delete-label.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { setLabels, labelsOf } from '#features/issues/index.ts'
import { listIssues } from '#features/issues/list-issues.ts'
import { listLabels } from '#features/issues/list-labels.ts'
import { reopenIssue } from '#features/issues/reopen-issue.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { updateLabel } from '#features/issues/update-label.ts'
import { refusal } from '../../world.ts'
import { makeIssueWorld } from './fixture.ts'

const { world, ada, otto, as, issue, pull, row } = await makeIssueWorld()
const repo = 'acme/site'
const list = async (name = repo, caller: typeof ada | typeof anonymous = ada) =>
  (await world.call(listLabels, caller, { repo: name })).items
const used = async (name: string) =>
  (await list()).find((label) => label.name === name)?.issues_count

describe('list_labels', () => {
  test('a new repository starts with six, in alphabetical order', async () => {
    await world.repo('acme/fresh', { as: ada })
    expect((await list('acme/fresh', anonymous)).map(({ name }) => name)).toEqual([
      'bug',
      'docs',
      'feature',
      'good first issue',
      'question',
      'security',
    ])
    for (const label of await list('acme/fresh'))
      expect(label).toMatchObject({
        color: expect.stringMatching(/^[0-9a-f]{6}$/),
        issues_count: 0,
      })
    expect(await world.call(listLabels, ada, { repo: 'acme/fresh', per_page: 4 })).toMatchObject({
      total: 6,
      next: '2',
    })
    expect(await refusal(list('acme/vault', otto))).toMatchObject({ status: 404 })
  })

  test('counts open issues that carry it, not pull requests', async () => {
    const number = await issue({ labels: ['question'] })
    const proposal = await pull()
    await world.write((tx) =>
      setLabels(tx, row(repo), proposal, ['question', 'bug'], { mayCreate: false }),
    )
    expect(labelsOf(world.hearth.db, row(repo).id, proposal)).toEqual(['bug', 'question'])
    expect(await used('question')).toBe(1)
    await world.call(closeIssue, ada, { repo, number })
    expect(await used('question')).toBe(0)
    await world.call(updateIssue, ada, { repo, number, labels: ['bug'] })
    await world.call(reopenIssue, ada, { repo, number })
    expect([await used('question'), await used('bug')]).toEqual([0, 1])
    await world.call(updateIssue, ada, { repo, number, labels: [] })
    expect(await used('bug')).toBe(0)
  })
})

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

describe('update_label', () => {
  test('a renamed label stays on its issues', async () => {
    const number = await issue({ labels: ['docs'] })
    expect(
      await world.call(updateLabel, as('triage'), {
        repo,
        label: 'DOCS',
        name: 'manual',
        color: '00ff00',
      }),
    ).toMatchObject({ name: 'manual', color: '00ff00', issues_count: 1 })
    expect((await world.call(getIssue, ada, { repo, number })).issue.labels).toEqual(['manual'])
    expect((await world.call(listIssues, ada, { repo, label: 'manual' })).items).toHaveLength(1)
    expect(
      await world.call(updateLabel, ada, {
        repo,
        label: 'manual',
        name: 'Manual',
        description: null,
      }),
    ).toMatchObject({ name: 'Manual', color: '00ff00', description: null })
  })

  test('refuses the name of another, an unknown label and those below triage', async () => {
    expect(
      await refusal(world.call(updateLabel, ada, { repo, label: 'bug', name: 'FEATURE' })),
    ).toMatchObject({ status: 409, reason: 'already_exists' })
    expect(
      await refusal(world.call(updateLabel, ada, { repo, label: 'no such', name: 'x' })),
    ).toMatchObject({ status: 404 })
    expect(
      await refusal(world.call(updateLabel, as('read'), { repo, label: 'bug', name: 'x' })),
    ).toMatchObject({ status: 403, reason: 'role' })
  })
})

describe('delete_label', () => {
  test('takes it off every issue', async () => {
    const number = await issue({ labels: ['security', 'bug'] })
    expect(
      await refusal(world.call(deleteLabel, as('read'), { repo, label: 'security' })),
    ).toMatchObject({ status: 403 })
    expect(await world.call(deleteLabel, as('triage'), { repo, label: 'Security' })).toBeNull()
    expect((await world.call(getIssue, ada, { repo, number })).issue.labels).toEqual(['bug'])
    expect(await refusal(world.call(deleteLabel, ada, { repo, label: 'security' }))).toMatchObject({
      status: 404,
    })
  })
})
