import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { workspaceFacts } from '#features/workspaces/index.ts'
import { agentOf, makeWorld, withToken, workspaceCaller } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
const acme = await world.workspace('acme', { owner: ada, members: [bob] })
const other = await world.workspace('other', { owner: bob })
const role = (caller: Parameters<typeof workspaceFacts>[2], slug = 'acme') =>
  workspaceFacts(world.hearth.db, slug, caller)?.role

test('roles come from membership; agents and workspace tokens are never owners', () => {
  expect(role(ada)).toBe('owner')
  expect(role(bob)).toBe('member')
  expect(role(anonymous)).toBeNull()
  expect(role(workspaceCaller(acme))).toBe('member')
  expect(role(workspaceCaller(other))).toBeNull()
  expect(role(agentOf(ada, { id: 'rep_1' }, { id: 'agt_1' }))).toBe('member')
  expect(role(agentOf(ada, { id: 'rep_1' }, { id: 'agt_1' }), 'other')).toBeNull()
  expect(role(withToken(ada, { workspace: other.id }))).toBeNull()
  expect(workspaceFacts(world.hearth.db, 'none', ada)).toBeNull()
})

test('members without the required second factor, and their agents, are marked', () => {
  const missing = (caller: Parameters<typeof workspaceFacts>[2]) =>
    workspaceFacts(world.hearth.db, 'acme', caller)?.two_factor_missing
  expect(missing(bob)).toBe(false)
  world.hearth.database.run(
    'UPDATE workspaces SET two_factor_requirement_enabled = 1 WHERE id = ?',
    acme.id,
  )
  world.hearth.database.run('UPDATE users SET two_factor_enabled = 1 WHERE id = ?', ada.id)
  expect(missing(ada)).toBe(false)
  expect(missing(bob)).toBe(true)
  expect(missing(agentOf(bob, { id: 'rep_1' }, { id: 'agt_1' }))).toBe(true)
  expect(missing(workspaceCaller(acme))).toBe(false)
  expect(missing(anonymous)).toBe(false)
})
