import { expect, test } from 'bun:test'
import { deleteEnvironment } from '#features/environments/delete-environment.ts'
import { listEnvironments } from '#features/environments/list-environments.ts'
import { refusal } from '../../world.ts'
import { DEPLOY, FILE, makeEnvironmentsWorld, REPO } from './fixture.ts'

test('a deployment that waited is rejected, not let through', async () => {
  const { world, ada, bob, push, protect, take, deployments, runs } = await makeEnvironmentsWorld()
  await protect({ reviewers: ['bob'] })
  await push({ [FILE]: DEPLOY })
  const remove = () => world.call(deleteEnvironment, ada, { ...REPO, environment: 'PRODUCTION' })
  const asBob = world.call(deleteEnvironment, bob, { ...REPO, environment: 'production' })
  expect((await refusal(asBob)).reason).toBe('role')
  await remove()
  await world.jobs()
  expect(await take()).toBeNull()
  expect((await runs())[0]?.conclusion).toBe('failure')
  expect((await deployments())[0]).toMatchObject({ environment: 'production', state: 'rejected' })
  expect((await world.call(listEnvironments, ada, REPO)).items).toEqual([])
  expect((await refusal(remove())).code).toBe('not_found')
})
