import { expect, test } from 'bun:test'
import { listSecretAlerts } from '#features/security/secrets/list-secret-alerts.ts'
import { refusal } from '../../../world.ts'
import { madeUpToken, makeSecretsWorld } from './fixture.ts'

test('alerts are listed newest first, by state and type, to admins only', async () => {
  const { world, ada, bob, repo, main, commit, pushTo, alerts } = await makeSecretsWorld({
    push_protection: false,
  })
  const password = 'Zq8vN2mK4xW7pL1s'
  await pushTo('work', await commit(main, { a: madeUpToken(), b: madeUpToken() }))
  await pushTo(
    'other',
    await commit(main, { c: `hooks: sk-ant-api03-${'aB3dE5gH7k'.repeat(8)}\n` }),
  )
  await pushTo('generic', await commit(main, { 'd.ini': `db_password = "${password}"\n` }))
  await world.jobs()
  const types = (await alerts()).map(({ type }) => type)
  expect(types.toSorted()).toEqual([
    'anthropic-key',
    'generic-api-key',
    'github-token',
    'github-token',
  ])
  const list = (input: Record<string, unknown>, as = ada) =>
    world.call(listSecretAlerts, as, { repo, ...input })
  expect((await list({ type: 'github-token' })).items).toHaveLength(2)
  expect((await list({ state: 'resolved' })).items).toEqual([])
  const first = await list({ per_page: 3 })
  expect(first.next).toBe('2')
  expect((await list({ per_page: 3, page: 2 })).items).toHaveLength(1)
  expect((await refusal(list({}, bob))).reason).toBe('role')
  expect(JSON.stringify(await alerts())).not.toContain(password)
})
