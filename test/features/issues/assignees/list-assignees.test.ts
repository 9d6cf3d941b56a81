import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listAssignees } from '#features/issues/assignees/list-assignees.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, mel, otto, agent } = await makeIssueWorld()
const list = (
  input: object = {},
  caller: typeof ada | typeof anonymous = ada,
  repo = 'acme/site',
) => world.call(listAssignees, caller, { repo, ...input })
const names = async (input: object = {}, repo?: string) =>
  (await list(input, ada, repo)).items.map(({ username }) => username)

test('members and agents at work, by username, and nobody else', async () => {
  await agent(mel, 'worker')
  expect(await names()).toEqual(['ada', 'mel', 'mel/worker'])
  expect(await names({}, 'acme/vault')).toEqual(['ada', 'mel'])
  expect((await list()).items[2]).toMatchObject({
    kind: 'agent',
    username: 'mel/worker',
    name: null,
  })
  world.clock.advance(3_600_001)
  expect(await names()).toEqual(['ada', 'mel'])
})

test('q narrows and pages go on', async () => {
  expect(await names({ q: ' ME ' })).toEqual(['mel'])
  expect(await names({ q: '%' })).toEqual([])
  const first = await list({ per_page: 1 })
  expect(first).toMatchObject({ items: [{ username: 'ada' }], next: '2' })
  expect(await list({ per_page: 1, cursor: first.next })).toMatchObject({
    items: [{ username: 'mel' }],
    next: null,
  })
})

test('members without a role on a private repository are left out', async () => {
  await world.write((tx) => tx.db.run(`UPDATE workspaces SET base_permission = 'none'`))
  expect(await names({}, 'acme/vault')).toEqual(['ada'])
  expect(await names()).toEqual(['ada', 'mel'])
  await world.write((tx) => tx.db.run(`UPDATE workspaces SET base_permission = 'write'`))
})

test('only those who see the repository', async () => {
  expect((await list({}, anonymous)).items).toHaveLength(2)
  expect(await refusal(list({}, otto, 'acme/vault'))).toMatchObject({ status: 404 })
})
