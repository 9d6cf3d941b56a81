import { expect, test } from 'bun:test'
import { createRunner } from '#features/runners/create-runner.ts'
import { makeRunnersWorld, REPO, WORKSPACE } from './fixture.ts'

test('an admin gets a runner with its token, which no table has', async () => {
  const { world, ada } = await makeRunnersWorld()
  const made = await world.call(createRunner, ada, {
    ...REPO,
    name: ' build  1 ',
    labels: ['GPU', 'gpu', 'linux'],
    ephemeral: true,
  })
  expect(made).toMatchObject({
    name: 'build 1',
    scope: 'repository',
    repo: 'acme/site',
    labels: ['gpu', 'linux'],
    os: 'linux',
    version: null,
    state: 'offline',
    ephemeral: true,
    accepts_untrusted: false,
    last_seen_at: null,
  })
  expect(made.token).toMatch(/^hrt_\w{40}$/)
  const rows = JSON.stringify([
    world.hearth.db.all('SELECT * FROM runners'),
    world.hearth.db.all('SELECT * FROM audit_log'),
  ])
  expect(rows).not.toContain(made.token)
})

test('members without the role cannot add one, and wrong labels are told', async () => {
  const { world, ada, bob } = await makeRunnersWorld()
  expect(world.call(createRunner, bob, { ...REPO, name: 'x' })).rejects.toThrow()
  expect(world.call(createRunner, bob, { ...WORKSPACE, name: 'x' })).rejects.toThrow()
  expect(
    world.call(createRunner, ada, { ...REPO, name: 'x', labels: ['ubuntu-latest:host'] }),
  ).rejects.toThrow('give ubuntu-latest, not ubuntu-latest:host')
})
