import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { setLabels, labelsOf } from '#features/issues/index.ts'
import { listLabels } from '#features/issues/labels/list-labels.ts'
import { reopenIssue } from '#features/issues/reopen-issue.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, otto, issue, pull, row } = await makeIssueWorld()
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

  test('a part of the name narrows the list and its total', async () => {
    await world.repo('acme/named', { as: ada })
    const find = (q: string) => world.call(listLabels, ada, { repo: 'acme/named', q })
    expect(await find(' ISSUE ')).toMatchObject({ items: [{ name: 'good first issue' }], total: 1 })
    expect(await find('%')).toMatchObject({ items: [], total: 0 })
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
