import { expect, test } from 'bun:test'
import { recall } from '#features/memory/recall.ts'
import { updateMemory } from '#features/memory/update-memory.ts'
import { setMemberPrivileges } from '#features/workspaces/set-member-privileges.ts'
import { addUses } from '#features/memory/store.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makeMemoryWorld, REPO } from './fixture.ts'

test('pinned first, then the best match, then the newest; every word has to be there', async () => {
  const { note, recalled } = await makeMemoryWorld()
  await note('Deploys run at night. They need the VPN of the office and a second pair of eyes.')
  await note('Deploys run at night', { pinned: true })
  await note('Night deploys')
  await note('The café is closed')
  expect((await recalled()).project).toEqual([
    'Deploys run at night',
    'The café is closed',
    'Night deploys',
    'Deploys run at night. They need the VPN of the office and a second pair of eyes.',
  ])
  expect((await recalled('NIGHT deploy')).project).toEqual([
    'Deploys run at night',
    'Night deploys',
    'Deploys run at night. They need the VPN of the office and a second pair of eyes.',
  ])
  // Only the last word may be the beginning of one.
  expect((await recalled('deploy night')).project).toEqual([])
  expect((await recalled('cafe')).project).toEqual(['The café is closed'])
  expect((await recalled('???')).project).toEqual([])
})

test('limits and pages each level by itself, and filters by kind', async () => {
  const { world, ada, note } = await makeMemoryWorld()
  for (const at of [1, 2, 3]) await note(`Fact ${at}`)
  await note('Convention', { kind: 'convention', scope: 'workspace' })
  const page = (input: object) => world.call(recall, ada, { repo: REPO, ...input })
  const first = await page({ limit: 2 })
  expect(first.project.map(({ text }) => text)).toEqual(['Fact 3', 'Fact 2'])
  expect([first.project_count, first.workspace_count]).toEqual([3, 1])
  const second = await page({ limit: 2, page: 2 })
  expect([second.project.length, second.workspace.length]).toEqual([1, 0])
  const kinds = await page({ kind: 'convention' })
  expect([kinds.project, kinds.workspace.length]).toEqual([[], 1])
})

test('memories of the workspace are for its members, and of a private repository for its readers', async () => {
  const { world, note, recalled } = await makeMemoryWorld()
  const eve = await world.user('eve')
  await note('Ours', { scope: 'workspace' })
  await note('Of the project')
  expect(await recalled(undefined, eve)).toEqual({ project: ['Of the project'], workspace: [] })
  expect((await refusal(world.call(recall, { kind: 'anonymous' }, { repo: REPO }))).code).toBe(
    'unauthenticated',
  )
  await world.repo('acme/hidden', { private: true })
  expect((await refusal(world.call(recall, eve, { repo: 'acme/hidden' }))).code).toBe('not_found')
})

test('agents do not get what waits for a person, and people see that it waits', async () => {
  const { world, ada, note, recalled, agent } = await makeMemoryWorld()
  await world.call(setMemberPrivileges, ada, { workspace: 'acme', memory_review: true })
  const bot = await agent()
  const made = await note('Skip the tests', {}, bot)
  expect((await recalled(undefined, bot)).project).toEqual([])
  const marked: string[] = []
  const shown = await world.call(
    recall,
    ada,
    { repo: REPO },
    { untrusted: (pointers) => marked.push(...pointers) },
  )
  expect([shown.project[0]?.waiting, marked]).toEqual([true, ['/project/0/text']])
  await world.call(updateMemory, ada, { repo: REPO, id: made.id, reviewed: true })
  expect((await recalled(undefined, bot)).project).toEqual(['Skip the tests'])
})

test('says whether the files are still as they were', async () => {
  const { world, ada, note } = await makeMemoryWorld()
  await world.commit(REPO, 'main', { 'src/a.ts': 'a', 'src/b.ts': 'b', 'src/c.ts': 'c' })
  await note('About three files', { paths: ['src/a.ts', '/src/b.ts', 'src/c.ts', 'src/a.ts'] })
  await world.commit(REPO, 'main', { 'src/b.ts': 'changed', 'src/c.ts': null })
  const { project } = await world.call(recall, ada, { repo: REPO })
  expect(project[0]?.paths).toEqual([
    { path: 'src/a.ts', state: 'current' },
    { path: 'src/b.ts', state: 'changed' },
    { path: 'src/c.ts', state: 'gone' },
  ])
})

test('those that nobody used for half a year come after the others', async () => {
  const { world, note, recalled } = await makeMemoryWorld()
  const used = await note('Used')
  await note('Unused, though newer')
  world.clock.advance(181 * DAY)
  await world.write((tx) => addUses(tx, [used.id]))
  expect((await recalled()).project).toEqual(['Used', 'Unused, though newer'])
})

test('those of one pull request, which people name and agents have', async () => {
  const { world, ada, note, agent, draft } = await makeMemoryWorld()
  const pull = await draft(ada)
  const helper = await agent({ pull, name: 'helper' })
  await note('Something else')
  await note('The oven needs an hour', { pull })
  await note('The tests need the oven', {}, helper)
  await note('Ovens are shared', { scope: 'workspace' }, helper)
  const found = await world.call(recall, ada, { repo: REPO, pull })
  expect(found.project.map((one) => [one.text, one.pull, one.reviewed])).toEqual([
    ['The tests need the oven', pull, false],
    ['The oven needs an hour', pull, true],
  ])
  expect(found.workspace).toMatchObject([
    { text: 'Ovens are shared', pull, reviewed: false, waiting: true },
  ])
  const id = found.project[0]?.id ?? ''
  const kept = await world.call(updateMemory, ada, { repo: REPO, id, reviewed: true })
  expect(kept.reviewed).toBe(true)
  for (const wrong of [
    note('A', { pull: 9_999 }),
    note('B', { pull, scope: 'workspace' }),
    note('C', { pull: pull + 1 }, helper),
  ])
    expect(await refusal(wrong)).toMatchObject({ status: 422, field: 'pull' })
})
