import { expect, test } from 'bun:test'
import { listEnvironments } from '#features/environments/list-environments.ts'
import { setEnvironment } from '#features/environments/set-environment.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { refusal } from '../../world.ts'
import { DEPLOY, FILE, makeEnvironmentsWorld, REPO } from './fixture.ts'

test('makes an environment, keeps what is left out, and ignores the case of names', async () => {
  const { world, ada, bob, protect } = await makeEnvironmentsWorld()
  await world.call(createTeam, ada, { workspace: 'acme', name: 'Ops' })
  const made = await protect({ reviewers: ['@bob', 'acme/ops', 'bob'], branches: [' main '] })
  expect(made).toMatchObject({
    name: 'production',
    reviewers: ['bob', 'acme/ops'],
    wait_minutes: 0,
    branches: ['main'],
    prevent_self_review: true,
    deployments_count: 0,
  })
  const changed = await protect({ wait_minutes: 5, prevent_self_review: false }, 'Production')
  expect(changed).toEqual({ ...made, wait_minutes: 5, prevent_self_review: false })
  expect((await world.call(listEnvironments, bob, REPO)).items).toEqual([changed])
})

test('refuses reviewers who cannot read the repository, and people without Admin', async () => {
  const { world, bob, protect } = await makeEnvironmentsWorld()
  const unknown = await refusal(protect({ reviewers: ['bob', 'nobody'] }))
  expect(unknown.message).toBe('nobody cannot review deployments of acme/site')
  // Somebody from outside exists, and the answer does not tell.
  const outside = await refusal(protect({ reviewers: ['eve'] }))
  expect(outside.message).toBe('eve cannot review deployments of acme/site')
  expect((await refusal(protect({ reviewers: ['other/ops'] }))).code).toBe('invalid')
  expect((await refusal(protect({}, ' '))).message).toBe('the name of an environment is required')
  const asBob = world.call(setEnvironment, bob, { ...REPO, environment: 'production' })
  expect((await refusal(asBob)).reason).toBe('role')
})

test('deployments that wait follow a change of the protection at once', async () => {
  const { world, push, protect, take, deployments } = await makeEnvironmentsWorld()
  await protect({ reviewers: ['bob'] })
  await push({ [FILE]: DEPLOY })
  expect(await take()).toBeNull()
  await protect({ reviewers: [] })
  await world.jobs()
  expect((await take())?.name).toBe('ship')
  expect((await deployments())[0]?.state).toBe('in_progress')
})
