import { expect, test } from 'bun:test'
import { getMirror } from '#features/mirrors/get-mirror.ts'
import { moveMirrorToService } from '#features/mirrors/move-mirror-to-service.ts'
import { MINUTE } from '#lib/time.ts'
import { makeMirrorWorld } from './fixture.ts'

const it = await makeMirrorWorld()
const { world, ada } = it

test('the service leads for good, without the remote', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead()
  await expect(world.call(moveMirrorToService, ada, { repo: at.repo })).rejects.toMatchObject({
    reason: 'not_ready',
  })
  await world.jobs()
  const answer = await world.call(moveMirrorToService, ada, { repo: at.repo })
  expect(answer).toEqual({ remotes: [], plan: null, can_manage: true })
  await world.commit(at.repo, 'main', { a: '1' })
  expect(world.events('mirror.state_changed').at(-1)?.data).toMatchObject({ state: null })
  await expect(world.call(moveMirrorToService, ada, { repo: at.repo })).rejects.toMatchObject({
    reason: 'not_available',
  })
})

test('the remote follows from then on', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead()
  await world.jobs()
  await world.call(moveMirrorToService, ada, { repo: at.repo, keep_remote_updated: true })
  expect(await world.call(getMirror, ada, { repo: at.repo })).toMatchObject({
    remotes: [{ role: 'follower', state: 'following' }],
  })
  const next = await world.commit(at.repo, 'main', { a: '1' })
  world.clock.advance(MINUTE)
  await world.jobs()
  expect((await at.theirs()).get('refs/heads/main')).toBe(next)
})
