import { expect, test } from 'bun:test'
import { refusal } from '../../../world.ts'
import { makeScanWorld, REPO } from './fixture.ts'

test('equal lines keep their alerts, categories and tools do not mix, branches have states of their own', async () => {
  const { world, scan, alerts } = await makeScanWorld()
  await world.commit(REPO, 'main', { 'x.ts': `bad()\nbad()\n${'rest\n'.repeat(60)}` })
  await scan([
    { path: 'x.ts', line: 2 },
    { path: 'x.ts', line: 1 },
    { path: 'x.ts', line: 1 },
  ])
  expect((await alerts()).map(({ start_line }) => start_line).sort()).toEqual([1, 2])
  await scan([{ path: 'x.ts', line: 30, rule: 'other', level: 'error' }], { category: 'second' })
  expect((await alerts({ state: 'open' })).length).toBe(3)
  await scan([], { category: 'second' })
  expect((await alerts({ state: 'fixed' })).map(({ rule }) => rule.id)).toEqual(['other'])

  // A branch without the fault does not fix it, one with another fault is not the default branch.
  await world.commit(REPO, 'topic', { 'x.ts': 'good()\nworse()\n' })
  await scan([{ path: 'x.ts', line: 2, rule: 'worse' }], { branch: 'topic' })
  expect((await alerts({ state: 'open' })).map(({ rule }) => rule.id)).toEqual(['sql', 'sql'])
  expect((await alerts({ ref: 'topic', state: 'open' })).map(({ rule }) => rule.id)).toEqual([
    'worse',
  ])
})

test('filters narrow the list, and ref and pull exclude each other', async () => {
  const { scan, alerts } = await makeScanWorld()
  await scan([
    { path: 'a.txt', line: 2 },
    { path: 'a.txt', line: 3, rule: 'style', level: 'note' },
  ])
  expect((await alerts({ severity: 'note' })).map(({ rule }) => rule.id)).toEqual(['style'])
  expect(await alerts({ tool: 'Other' })).toEqual([])
  expect(await alerts({ ref: 'refs/heads/none' })).toEqual([])
  expect((await alerts({ per_page: 1, page: 2 })).map(({ number }) => number)).toEqual([2])
  expect((await refusal(alerts({ ref: 'main', pull: 1 }))).status).toBe(422)
})

test('a deleted branch takes what only it had', async () => {
  const { world, ada, scan, alerts, push, alert } = await makeScanWorld()
  await world.commit(REPO, 'topic', { 'x.ts': 'worse()\n' })
  await scan([{ path: 'x.ts' }], { branch: 'topic' })
  const [{ id } = { id: '' }] = await alerts({ ref: 'topic' })
  await push(REPO, 'topic', null, ada)
  await world.jobs()
  expect(await alerts({ ref: 'topic' })).toEqual([])
  expect(await alert(id)).toMatchObject({ state: 'fixed', instances: [] })
})
