import { expect, test } from 'bun:test'
import { listAgentPrograms } from '#features/agent-runs/program/list-agent-programs.ts'
import { removeAgentProgram } from '#features/agent-runs/program/remove-agent-program.ts'
import { setAgentProgram } from '#features/agent-runs/program/set-agent-program.ts'
import { makeWorld, refusal } from '../../../world.ts'

test('a removed program is gone, and one that is not there is not found', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const ada = await world.user('ada')
  await world.call(setAgentProgram, root, { name: 'codex', kind: 'codex' })
  expect((await refusal(world.call(removeAgentProgram, ada, { name: 'codex' }))).status).toBe(403)
  await world.call(removeAgentProgram, root, { name: 'codex' })
  expect((await world.call(listAgentPrograms, root, {})).items).toEqual([])
  expect((await refusal(world.call(removeAgentProgram, root, { name: 'codex' }))).status).toBe(404)
})
