import { expect, test } from 'bun:test'
import {
  actorOf,
  actorsOf,
  isUsernameFree,
  recordActor,
  renameActor,
} from '#features/accounts/index.ts'
import { createWorkspace } from '#features/workspaces/create-workspace.ts'
import { makeWorld, refusal } from '../../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')

test('an agent names the person it acts for, and follows when that person is renamed', async () => {
  const cy = await world.user('cy')
  await world.write((tx) =>
    recordActor(tx, {
      id: 'agt_1',
      kind: 'agent',
      username: 'cy/bot',
      name: null,
      on_behalf_of: cy.id,
    }),
  )
  expect(actorOf(world.hearth, 'agt_1')).toEqual({
    id: 'agt_1',
    kind: 'agent',
    username: 'cy/bot',
    name: null,
    avatar_url: 'https://hearth.test/avatars/agt_1.svg',
    on_behalf_of: { id: cy.id, username: 'cy' },
  })
  await world.write((tx) => renameActor(tx, cy.id, { username: 'cyrus', name: 'Cyrus' }))
  expect(actorOf(world.hearth, 'agt_1')).toMatchObject({
    username: 'cyrus/bot',
    on_behalf_of: { username: 'cyrus' },
  })
  expect(actorOf(world.hearth, cy.id)).toMatchObject({ username: 'cyrus', name: 'Cyrus' })
})

test('records follow the order of the ids, and removed actors are ghosts', () => {
  expect(
    actorsOf(world.hearth, ['usr_gone', ada.id, 'wsp_gone']).map(({ id, kind, username }) => [
      id,
      kind,
      username,
    ]),
  ).toEqual([
    ['usr_gone', 'user', 'ghost'],
    [ada.id, 'user', 'ada'],
    ['wsp_gone', 'workspace', 'ghost'],
  ])
  expect(actorsOf(world.hearth, [])).toEqual([])
  expect(actorOf(world.hearth, null)).toBeNull()
})

test('users and workspaces share one namespace; a user may give their own username to a workspace', async () => {
  const bob = await world.user('bob')
  expect(isUsernameFree(world.hearth.db, 'ada')).toBe(false)
  expect(isUsernameFree(world.hearth.db, 'settings')).toBe(false)
  expect(isUsernameFree(world.hearth.db, 'nobody-yet')).toBe(true)
  expect((await refusal(world.call(createWorkspace, bob, { slug: 'ada' }))).reason).toBe(
    'already_exists',
  )
  await world.call(createWorkspace, ada, { slug: 'ada' })
  expect((await refusal(world.call(createWorkspace, ada, { slug: 'ada' }))).reason).toBe(
    'already_exists',
  )
  await world.call(createWorkspace, bob, { slug: 'acme' })
  const taken = await refusal(
    world.write((tx) =>
      recordActor(tx, { id: 'usr_new', kind: 'user', username: 'acme', name: null }),
    ),
  )
  expect([taken.reason, taken.field]).toEqual(['already_exists', 'username'])
  expect(
    (await refusal(world.write((tx) => renameActor(tx, bob.id, { username: 'ada' })))).reason,
  ).toBe('already_exists')
  expect(actorOf(world.hearth, bob.id).username).toBe('bob')
})
