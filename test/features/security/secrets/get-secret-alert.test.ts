import { expect, test } from 'bun:test'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { getSecretAlert } from '#features/security/secrets/get-secret-alert.ts'
import { refusal } from '../../../world.ts'
import { madeUpToken, makeSecretsWorld } from './fixture.ts'

test('an alert is read in its own repository, and its secret is never shown', async () => {
  const { world, ada, bob, repo, main, commit, pushTo, alerts } = await makeSecretsWorld({
    push_protection: false,
  })
  const secret = madeUpToken()
  await pushTo('work', await commit(main, { a: secret }))
  await world.jobs()
  const id = (await alerts())[0]?.id ?? ''
  const get = (as = ada, from = repo) => world.call(getSecretAlert, as, { repo: from, id })
  expect(await get()).toMatchObject({
    state: 'open',
    label: 'GitHub token',
    validity: 'unknown',
    push_protection_bypassed: false,
    bypass: null,
    locations_count: 1,
  })
  expect(JSON.stringify(await get())).not.toContain(secret)
  expect((await refusal(get(bob))).reason).toBe('role')
  await world.call(createRepo, ada, { workspace: 'acme', name: 'other', private: true })
  expect((await refusal(get(ada, 'acme/other'))).code).toBe('not_found')
})
