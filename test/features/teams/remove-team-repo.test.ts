import { describe, expect, test } from 'bun:test'
import { removeTeamRepo } from '#features/teams/remove-team-repo.ts'
import { refusal } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

describe('repositories', () => {
  test('a role is removed from the team that gives it, not from its children', async () => {
    const { world, ada, cy, team, join, give, roleOf } = await makeTeamWorld()
    await team('Core')
    await team('Child', { parent: 'core' })
    await join('child', 'cy')
    await give('core', 'write')
    const end = (slug: string) =>
      world.call(removeTeamRepo, ada, { workspace: 'acme', team: slug, repo: 'acme/site' })
    const inherited = await refusal(end('child'))
    expect([inherited.field, inherited.message.includes('core')]).toEqual(['team', true])
    expect(await roleOf(cy)).toBe('write')
    expect(await end('core')).toBeNull()
    expect(await roleOf(cy)).toBe('nothing')
    expect((await refusal(end('core'))).code).toBe('not_found')
  })
})
