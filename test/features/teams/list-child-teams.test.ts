import { expect, test } from 'bun:test'
import { listChildTeams } from '#features/teams/list-child-teams.ts'
import { refusal } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

test('only direct children are listed, newest first', async () => {
  const { world, ada, bob, out, team } = await makeTeamWorld()
  await team('Core')
  await team('Web', { parent: 'core' })
  await team('Api', { parent: 'core' })
  await team('Css', { parent: 'web' })
  const list = (caller: typeof ada, input: object = {}) =>
    world.call(listChildTeams, caller, { workspace: 'acme', team: 'core', ...input })
  expect((await list(bob)).items.map(({ slug }) => slug)).toEqual(['api', 'web'])
  expect((await list(ada, { per_page: 1 })).next).toBe('2')
  expect((await refusal(list(out))).code).toBe('not_found')
})
