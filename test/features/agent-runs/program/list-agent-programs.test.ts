import { expect, test } from 'bun:test'
import { listAgentPrograms } from '#features/agent-runs/program/list-agent-programs.ts'
import { setAgentProgram } from '#features/agent-runs/program/set-agent-program.ts'
import { makeWorld, withToken } from '../../../world.ts'

test('people see the names, and administrators how programs are started', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const ada = await world.user('ada')
  for (const name of ['zed', 'codex'])
    await world.call(setAgentProgram, root, {
      name,
      command: '/opt/secret-place/run',
      env: { REGION: 'x' },
    })
  const seen = await world.call(listAgentPrograms, ada, {})
  expect(
    seen.items.map(({ name, command, folders, env }) => [name, command, folders, env]),
  ).toEqual([
    ['codex', null, null, null],
    ['zed', null, null, null],
  ])
  const { items } = await world.call(listAgentPrograms, root, {})
  expect(items[0]).toMatchObject({ command: '/opt/secret-place/run', env: { REGION: 'x' } })
  // A token of an administrator that says nothing of the site is no administrator's.
  const narrow = withToken(root, { scopes: ['repo:read'] })
  const said = JSON.stringify(await world.call(listAgentPrograms, narrow, {}))
  expect(said).not.toContain('secret-place')
  expect(said).not.toContain('REGION')
})
