import { expect, test } from 'bun:test'
import { handBackMirror } from '#features/mirrors/hand-back-mirror.ts'
import { takeOverMirror } from '#features/mirrors/take-over-mirror.ts'
import { makeMirrorWorld } from './fixture.ts'

const it = await makeMirrorWorld()
const { world, ada, door } = it

async function takenOver() {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead()
  await world.jobs()
  await world.call(takeOverMirror, ada, { repo: at.repo })
  return at
}

test('it is refused outside of a takeover and while the remote is away', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead()
  await world.jobs()
  await expect(world.call(handBackMirror, ada, { repo: at.repo })).rejects.toMatchObject({
    reason: 'not_ready',
  })
  const taken = await takenOver()
  door.isDown = true
  await expect(world.call(handBackMirror, ada, { repo: taken.repo })).rejects.toMatchObject({
    reason: 'remote_unreachable',
  })
  door.isDown = false
  await expect(
    world.call(handBackMirror, ada, { repo: taken.repo, resolve: { 'refs/heads/x': 'ours' } }),
  ).rejects.toMatchObject({ field: 'resolve' })
})

test('a push to the remote between the list and our push is never overwritten', async () => {
  const at = await takenOver()
  await world.commit(at.repo, 'main', { a: 'b' })
  await world.call(handBackMirror, ada, { repo: at.repo })
  let theirs = ''
  door.before = async (request) => {
    if (theirs !== '' || !request.url.endsWith('git-receive-pack')) return
    theirs = 'pushing'
    theirs = await at.push('main', 'in between')
  }
  await world.jobs()
  door.before = async () => {}
  expect(await at.link()).toMatchObject({ state: 'takeover' })
  expect((await at.theirs()).get('refs/heads/main')).toBe(theirs)
  expect((await at.link()).plan).toMatchObject({ ready: false, refs: [{ action: 'conflict' }] })
})

test('an answer that is lost after the remote has moved is no harm', async () => {
  const at = await takenOver()
  const ours = await world.commit(at.repo, 'main', { a: 'b' })
  await world.call(handBackMirror, ada, { repo: at.repo })
  let isLost = false
  door.loses = (request) => {
    if (isLost || !request.url.endsWith('/git-receive-pack')) return false
    return (isLost = true)
  }
  await world.jobs()
  door.loses = () => false
  expect(isLost).toBe(true)
  expect((await at.theirs()).get('refs/heads/main')).toBe(ours)
  expect(await at.link()).toMatchObject({ state: 'takeover' })
  await world.call(handBackMirror, ada, { repo: at.repo })
  await world.jobs()
  expect(await at.link()).toMatchObject({ state: 'standing_by' })
})

test('while handing back nobody pushes here', async () => {
  const at = await takenOver()
  await world.commit(at.repo, 'main', { a: 'b' })
  await world.call(handBackMirror, ada, { repo: at.repo })
  expect(
    world.hearth.db.one('SELECT actor_id FROM audit_log WHERE action = ?', 'mirror.handed_back'),
  ).toEqual({ actor_id: ada.id })
  await expect(world.commit(at.repo, 'main', { a: 'c' })).rejects.toThrow('try again in a minute')
  await world.jobs()
  expect(await at.theirs()).toEqual(at.ours())
})
