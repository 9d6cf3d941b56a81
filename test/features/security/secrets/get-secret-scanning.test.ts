import { expect, test } from 'bun:test'
import { getSecretScanning } from '#features/security/secrets/get-secret-scanning.ts'
import { scanHistory } from '#features/security/secrets/scan-history.ts'
import { refusal } from '../../../world.ts'
import { makeSecretsWorld } from './fixture.ts'

test('admins see what is on and how the last scan ended', async () => {
  const { world, ada, bob, repo, configure } = await makeSecretsWorld()
  const get = (as = ada) => world.call(getSecretScanning, as, { repo })
  expect(await get()).toEqual({
    push_protection: true,
    secret_scanning: true,
    required: { push_protection: false, secret_scanning: false },
    scan: null,
  })
  await configure({ push_protection: false })
  await world.call(scanHistory, ada, { repo })
  expect(await get()).toMatchObject({ push_protection: false, scan: { state: 'queued' } })
  await world.jobs()
  expect((await get()).scan).toMatchObject({ state: 'complete', commits: 1, alerts: 0 })
  expect((await refusal(get(bob))).reason).toBe('role')
})
