import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setAgentProgram } from '#features/agent-runs/program/set-agent-program.ts'
import { testAgentProgram } from '#features/agent-runs/program/test-agent-program.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { COMMAND, FOLDER } from './fixture.ts'

test('a test says which version there is, or what is wrong, and leaves nothing', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const tested = async (command: string) => {
    await world.call(setAgentProgram, root, { name: 'robot', command, folders: [FOLDER] })
    const { version, fault, tested_at } = await world.call(testAgentProgram, root, {
      name: 'robot',
    })
    expect(tested_at).not.toBeNull()
    return { version, fault }
  }
  expect(await tested(COMMAND)).toEqual({ version: 'test-agent 1.2.3', fault: null })
  const missing = await tested('no-such-program --acp')
  expect(missing.fault).toMatch(/^it ended with exit status 127: .*not found/)
  // It hears its own words.
  expect((await tested('cat')).fault).toBe('initialize is not offered')
  expect((await tested('echo hello; echo; echo a; echo b; sleep 5')).fault).toContain(
    'not messages',
  )
  expect(readdirSync(join(world.data, 'agents'))).toEqual([])
  const ada = await world.user('ada')
  expect((await refusal(world.call(testAgentProgram, ada, { name: 'robot' }))).status).toBe(403)
})
