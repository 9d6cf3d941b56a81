import { describe, expect, test } from 'bun:test'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { refusal } from '../../world.ts'
import { makeRepoWorld } from './collaborator-fixture.ts'

describe('changing', () => {
  test('up and down, but never below base, team or ownership, and the refusal names the source', async () => {
    const { world, ada, cy, add, set, roleOf, team, join, give, out } = await makeRepoWorld()
    await add('cy', 'maintain')
    expect(await set('cy', 'read')).toMatchObject({ role: 'read', source: 'direct' })
    expect(await roleOf(cy)).toBe('read')
    expect(world.events('repo.collaborator_role_changed')).toMatchObject([
      { data: { username: 'cy', role: 'read', previous_role: 'maintain' } },
    ])
    await set('cy', 'read')
    expect(world.events('repo.collaborator_role_changed')).toHaveLength(1)
    await team('Core')
    await join('core', 'cy')
    await give('core', 'write')
    const below = await refusal(set('cy', 'triage'))
    expect([below.field, below.details, below.message.includes('team')]).toEqual([
      'role',
      { source: 'team' },
      true,
    ])
    await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'admin' })
    expect((await refusal(set('cy', 'maintain'))).details).toEqual({ source: 'base' })
    expect((await refusal(add('dan', 'write'))).details).toEqual({ source: 'base' })
    expect((await refusal(set('ada', 'write'))).details).toEqual({ source: 'owner' })
    expect((await refusal(set('out', 'write'))).code).toBe('not_found')
    expect((await refusal(set('cy', 'admin', out))).code).toBe('not_found')
    expect(
      world.hearth.db.one<{ role: string }>(
        'SELECT role FROM collaborators WHERE user_id = ?',
        cy.id,
      )?.role,
    ).toBe('read')
  })
})
