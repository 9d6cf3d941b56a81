import { expect, test } from 'bun:test'
import { setAgentProgram } from '#features/agent-runs/program/set-agent-program.ts'
import { makeWorld, refusal } from '../../../world.ts'

test('an administrator names programs; nobody else does', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const ada = await world.user('ada')
  const set = (input: Partial<NonNullable<(typeof setAgentProgram)['__input']>>, as = root) =>
    world.call(setAgentProgram, as, { name: 'mine', ...input })
  expect((await refusal(set({ command: 'x' }, ada))).status).toBe(403)
  expect(await set({ kind: 'codex' })).toMatchObject({ command: 'codex-acp', folders: [] })
  const changed = await set({ command: ' robot --acp ', folders: ['/opt/robot/'], env: { A: 'b' } })
  expect(changed).toMatchObject({
    kind: 'other',
    command: 'robot --acp',
    folders: ['/opt/robot'],
    env: { A: 'b' },
    version: null,
    fault: null,
  })
})

test('what an agent must not read or be called is refused by its field', async () => {
  const world = await makeWorld()
  const root = await world.user('root', { site_admin: true })
  const fieldOf = async (input: object) => {
    const error = await refusal(
      world.call(setAgentProgram, root, { name: 'mine', command: 'x', ...input }),
    )
    return `${error.status} ${error.field}`
  }
  for (const folder of [
    ...['/root', '/etc', '/home/', '/opt/..', '/tmp/x', '/dev/shm/x', '/proc/1', '/run/docker'],
    ...[world.data, `${world.data}/repos`],
  ])
    expect(await fieldOf({ folders: [folder] })).toBe('422 folders')
  expect(await fieldOf({ name: 'agent' })).toBe('422 name')
  expect(await fieldOf({ name: 'reviewer' })).toBe('422 name')
  expect(await fieldOf({ command: 'a\nb' })).toBe('422 command')
  expect(await fieldOf({ command: undefined })).toBe('422 command')
})
