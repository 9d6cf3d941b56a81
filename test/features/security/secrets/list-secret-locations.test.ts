import { expect, test } from 'bun:test'
import { listSecretLocations } from '#features/security/secrets/list-secret-locations.ts'
import { refusal } from '../../../world.ts'
import { madeUpToken, makeSecretsWorld } from './fixture.ts'

test('each place of a secret is listed once, also where a later commit takes it out', async () => {
  const { world, ada, bob, repo, main, commit, pushTo, alerts } = await makeSecretsWorld({
    push_protection: false,
  })
  const secret = madeUpToken()
  const first = await commit(main, { 'a.txt': `one\n${secret}\n` })
  const second = await commit(first, { 'a.txt': 'one\n', 'b/c.txt': `${secret}\n` })
  await pushTo('work', first)
  await world.jobs()
  await pushTo('work', await commit(second, { 'c.txt': `\n\n${secret}\n${secret}\n` }))
  await world.jobs()
  const [alert] = await alerts()
  expect(alert?.locations_count).toBe(4)
  const list = (input: Record<string, unknown> = {}, as = ada) =>
    world.call(listSecretLocations, as, { repo, id: alert?.id ?? '', ...input })
  const places = (await list()).items.map(({ path, line, source }) => `${path}:${line} ${source}`)
  expect(places[0]).toBe('a.txt:2 push')
  expect(places.slice(1).toSorted()).toEqual(['b/c.txt:1 push', 'c.txt:3 push', 'c.txt:4 push'])
  expect((await list({ per_page: 1, page: 2 })).items).toHaveLength(1)
  expect((await refusal(list({}, bob))).reason).toBe('role')
})
