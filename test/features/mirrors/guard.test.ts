/** What a leading remote changes for workflows and deployments of the repository. */
import { expect, test } from 'bun:test'
import { createMirror } from '#features/mirrors/create-mirror.ts'
import { getMirror } from '#features/mirrors/get-mirror.ts'
import { takeOverMirror } from '#features/mirrors/take-over-mirror.ts'
import { updateMirror } from '#features/mirrors/update-mirror.ts'
import { moveMirrorToService } from '#features/mirrors/move-mirror-to-service.ts'
import { refusal } from '../../world.ts'
import { DEPLOY, FILE, makeEnvironmentsWorld, REPO } from '../environments/fixture.ts'

/** A link in standing_by, without a remote: nothing here needs its network. */
async function standingBy() {
  const it = await makeEnvironmentsWorld({ outbound_allow: ['http://127.0.0.1'] })
  const { world, ada } = it
  await world.call(createMirror, ada, {
    ...REPO,
    url: 'http://127.0.0.1:9/site.git',
    role: 'leader',
    name: 'origin',
  })
  await world.write((tx) => void tx.db.run(`UPDATE mirrors SET state = 'standing_by'`))
  const { remotes } = await world.call(getMirror, ada, REPO)
  return { ...it, id: remotes[0]?.id ?? '' }
}

test('deployments wait for an administrator during a takeover, and begin when that is over', async () => {
  const { world, ada, bob, push, take, review, deployments, finish } = await standingBy()
  await world.call(takeOverMirror, ada, REPO)
  await push({ [FILE]: DEPLOY })
  expect(await take()).toBeNull()
  const [waiting] = await deployments()
  expect(waiting).toMatchObject({ state: 'waiting' })
  expect(waiting?.waits_for).toContain('the mirror origin')
  expect((await world.call(getMirror, ada, REPO)).plan).toMatchObject({ deploys_held: 1 })
  expect((await refusal(review(bob, 'approve'))).reason).toBe('role')
  await review(ada, 'approve')
  const job = await take()
  expect(job).not.toBeNull()
  await finish(job)
  // What waits begins by itself once nobody holds it any more.
  await push({ [FILE]: DEPLOY.replace('make deploy', 'make again') })
  expect(await take()).toBeNull()
  await world.call(moveMirrorToService, ada, REPO)
  await world.jobs()
  expect(await take()).not.toBeNull()
})

test('without hold_deploys a deployment begins at once', async () => {
  const { world, ada, push, take, id } = await standingBy()
  await world.call(updateMirror, ada, { ...REPO, id, settings: { hold_deploys: false } })
  await world.call(takeOverMirror, ada, REPO)
  await push({ [FILE]: DEPLOY })
  expect(await take()).not.toBeNull()
})
