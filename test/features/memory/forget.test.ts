import { expect, test } from 'bun:test'
import { forget } from '#features/memory/forget.ts'
import { refusal } from '../../world.ts'
import { makeMemoryWorld, REPO } from './fixture.ts'

test('the author forgets; else Write for the project, an owner for the workspace', async () => {
  const { world, ada, max, note, recalled, audit } = await makeMemoryWorld()
  const eve = await world.user('eve')
  const project = await note('Of the project')
  const ours = await note('Ours', { scope: 'workspace' })
  const his = await note('His', { scope: 'workspace' }, max)
  const drop = (as: typeof ada, { id }: { id: string }) =>
    world.call(forget, as, { repo: REPO, id })
  expect((await refusal(drop(eve, project))).reason).toBe('role')
  expect((await refusal(drop(eve, ours))).code).toBe('not_found')
  expect((await refusal(drop(max, ours))).reason).toBe('role')
  await drop(max, his)
  await drop(max, project)
  await drop(ada, ours)
  expect(await recalled()).toEqual({ project: [], workspace: [] })
  expect((await refusal(drop(ada, ours))).code).toBe('not_found')
  expect(audit('memory.forgotten')).toHaveLength(3)
})

test('a memory of another repository does not exist here', async () => {
  const { world, ada, note } = await makeMemoryWorld()
  const made = await note('Here')
  await world.repo('acme/other')
  const there = world.call(forget, ada, { repo: 'acme/other', id: made.id })
  expect((await refusal(there)).code).toBe('not_found')
})
