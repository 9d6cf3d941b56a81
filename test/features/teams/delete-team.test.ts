import { describe, expect, test } from 'bun:test'
import { deleteTeam } from '#features/teams/delete-team.ts'
import { getTeam } from '#features/teams/get-team.ts'
import { refusal } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

describe('changing and deleting', () => {
  test('deleting a team ends its roles, and its children lose what they inherited', async () => {
    const { world, ada, bob, cy, team, join, give, roleOf, audits, db } = await makeTeamWorld()
    await team('Core', {}, bob)
    await team('Mid', { parent: 'core' }, bob)
    await team('Leaf', { parent: 'mid' }, bob)
    await join('leaf', 'cy')
    await give('core', 'write')
    await give('mid', 'read')
    expect(await roleOf(cy)).toBe('write')
    expect(
      (await refusal(world.call(deleteTeam, cy, { workspace: 'acme', team: 'core' }))).reason,
    ).toBe('role')
    await world.call(deleteTeam, bob, { workspace: 'acme', team: 'core' })
    expect(await roleOf(cy)).toBe('read')
    expect(await world.call(getTeam, ada, { workspace: 'acme', team: 'mid' })).toMatchObject({
      parent: null,
    })
    expect((await world.call(getTeam, ada, { workspace: 'acme', team: 'leaf' })).parent?.slug).toBe(
      'mid',
    )
    expect(
      (await refusal(world.call(getTeam, ada, { workspace: 'acme', team: 'core' }))).code,
    ).toBe('not_found')
    expect(audits('team.deleted')[0]?.data).toMatchObject({
      before: { repositories: [{ full_name: 'acme/site', role: 'write' }] },
    })
    expect(
      db.all(
        'SELECT l.team_id FROM team_lines l LEFT JOIN teams t ON t.id = l.ancestor_id WHERE t.id IS NULL',
      ),
    ).toEqual([])
  })
})
