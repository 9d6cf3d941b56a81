import { describe, expect, test } from 'bun:test'
import { refusal } from '../../world.ts'
import { makeRepoWorld } from './collaborator-fixture.ts'

describe('changing', () => {
  test('an admin or the collaborator removes a direct role; other roles cannot be removed', async () => {
    const { world, bob, cy, add, remove, roleOf, team, join, give, outsider, audits } =
      await makeRepoWorld()
    await add('bob', 'write')
    const oz = await outsider('oz', 'admin')
    expect((await refusal(remove('oz', bob))).reason).toBe('role')
    expect(await remove('bob', bob)).toBeNull()
    expect(await roleOf(bob)).toBe('nothing')
    expect((await refusal(remove('bob'))).code).toBe('not_found')
    await team('Core')
    await join('core', 'cy')
    await give('core', 'read')
    expect((await refusal(remove('cy'))).details).toEqual({ source: 'team' })
    expect((await refusal(remove('ada', oz))).details).toEqual({ source: 'owner' })
    expect(await roleOf(cy)).toBe('read')
    expect(await remove('oz', oz)).toBeNull()
    expect(world.events('repo.collaborator_removed').map(({ data }) => data)).toEqual([
      { username: 'bob', role: null, previous_role: 'write' },
      { username: 'oz', role: null, previous_role: 'admin' },
    ])
    expect(audits('repo.collaborator_removed')).toHaveLength(2)
  })
})
