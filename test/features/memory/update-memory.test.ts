import { expect, test } from 'bun:test'
import { updateMemory } from '#features/memory/update-memory.ts'
import { refusal } from '../../world.ts'
import { makeMemoryWorld, REPO } from './fixture.ts'

type Change = Omit<NonNullable<(typeof updateMemory)['__input']>, 'repo' | 'id'>

test('changes what is given, and refuses a text that another memory has', async () => {
  const { world, ada, note, audit } = await makeMemoryWorld()
  const one = await note('One')
  const two = await note('Two')
  const update = (input: Change) =>
    world.call(updateMemory, ada, { repo: REPO, id: two.id, ...input })
  world.clock.advance(1_000)
  const changed = await update({ text: 'Second', kind: 'decision', pinned: true })
  expect(changed).toMatchObject({ text: 'Second', kind: 'decision', pinned: true })
  expect(changed.updated_at > two.updated_at).toBe(true)
  const taken = await refusal(update({ text: ' ONE ' }))
  expect([taken.reason, taken.details]).toEqual(['already_exists', { id: one.id }])
  expect((await update({ text: 'second' })).text).toBe('second')
  expect((await refusal(update({}))).code).toBe('invalid')
  expect((await refusal(update({ text: `ghp_${'a1B2c3D4e5F6'.repeat(3)}` }))).field).toBe('text')
  expect(audit('memory.changed')).toHaveLength(2)
})

test('needs Write or membership, and pins are for people, at most twenty', async () => {
  const { world, ada, note, agent } = await makeMemoryWorld()
  const eve = await world.user('eve')
  const made = await note('One')
  const ours = await note('Ours', { scope: 'workspace' })
  const asEve = (id: string) =>
    refusal(world.call(updateMemory, eve, { repo: REPO, id, text: 'x' }))
  expect((await asEve(made.id)).reason).toBe('role')
  // A memory of a workspace does not exist for somebody from outside.
  expect((await asEve(ours.id)).code).toBe('not_found')
  expect((await asEve('mem_nothing')).code).toBe('not_found')
  const bot = await agent()
  const asBot = (change: Change) =>
    world.call(updateMemory, bot, { repo: REPO, id: made.id, ...change })
  for (const change of [{ pinned: true }, { reviewed: true }])
    expect((await refusal(asBot(change))).reason).toBe('person_required')
  for (let at = 0; at < 20; at++) await note(`Pinned ${at}`, { pinned: true })
  const full = world.call(updateMemory, ada, { repo: REPO, id: made.id, pinned: true })
  expect((await refusal(full)).reason).toBe('limit_reached')
})

test('what an agent rewrites has to be read anew', async () => {
  const { world, ada, note, agent } = await makeMemoryWorld()
  const bot = await agent()
  const ours = await note('For all', { scope: 'workspace' }, bot)
  const kept = await world.call(updateMemory, ada, { repo: REPO, id: ours.id, reviewed: true })
  expect([ours.waiting, kept.waiting]).toEqual([true, false])
  const changed = await world.call(updateMemory, bot, { repo: REPO, id: ours.id, text: 'For none' })
  expect(changed.waiting).toBe(true)
})
