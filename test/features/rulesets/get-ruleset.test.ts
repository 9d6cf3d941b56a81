import { expect, test } from 'bun:test'
import { getRuleset } from '#features/rulesets/get-ruleset.ts'
import { updateTeam } from '#features/teams/update-team.ts'
import { renameWorkspace } from '#features/workspaces/rename-workspace.ts'
import { makeRuleWorld, of } from './fixture.ts'

test('people and teams are shown by their present names', async () => {
  const { world, ada, ruleAll, teams } = await makeRuleWorld()
  await teams(['core', 'mel'])
  const made = await ruleAll(
    [
      of('human_approval', { from: ['acme/core'] }),
      of('merge_window', {
        freezes: [{ start: '2026-01-01', end: '2026-01-02' }],
        exceptions: ['acme/core', 'a/label'],
      }),
    ],
    { bypass_actors: [{ kind: 'team', value: 'core' }] },
  )
  await world.call(updateTeam, ada, { workspace: 'acme', team: 'core', name: 'Kernel' })
  await world.call(renameWorkspace, ada, { workspace: 'acme', slug: 'apex' })
  const now = await world.call(getRuleset, ada, { workspace: 'apex', id: made.id })
  expect(now.bypass_actors).toEqual([{ kind: 'team', value: 'apex/core', mode: 'always' }])
  expect(now.rules.map(({ parameters }) => parameters)).toMatchObject([
    { from: ['apex/core'] },
    { exceptions: ['apex/core', 'a/label'] },
  ])
  expect([now.workspace, now.html_url]).toEqual([
    'apex',
    `https://hearth.test/apex/-/rulesets/${made.id}`,
  ])
})
