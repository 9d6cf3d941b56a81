import { expect, test } from 'bun:test'
import { createMirror } from '#features/mirrors/create-mirror.ts'
import { updateMirror } from '#features/mirrors/update-mirror.ts'
import { MINUTE } from '#lib/time.ts'
import { makeMirrorWorld } from './fixture.ts'

const it = await makeMirrorWorld()
const { world, ada } = it

test('a paused mirror stands still, and leads where it led before', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead()
  await world.jobs()
  const { id } = await at.link()
  await world.call(updateMirror, ada, { repo: at.repo, id, paused: true, name: 'upstream' })
  const before = at.ours()
  const two = await at.push('main', 'two')
  await it.pass(6 * MINUTE)
  expect(await at.link()).toMatchObject({ state: 'paused', name: 'upstream' })
  expect(at.ours()).toEqual(before)
  await expect(world.commit(at.repo, 'main', { a: 'b' })).rejects.toThrow('upstream leads')
  await world.call(updateMirror, ada, { repo: at.repo, id, paused: false })
  await world.jobs()
  expect(at.ours().get('refs/heads/main')).toBe(two)
  expect(await at.link()).toMatchObject({ state: 'standing_by' })
})

test('force overwrites a follower, and keeps what it had', async () => {
  const at = await it.pair()
  const theirs = await at.push('main', 'theirs')
  const ours = await world.commit(at.repo, 'main', { a: '1' })
  await world.call(createMirror, ada, { repo: at.repo, url: at.url, role: 'follower' })
  await world.jobs()
  const { id, state } = await at.link()
  expect(state).toBe('diverged')
  await world.call(updateMirror, ada, { repo: at.repo, id, force: true })
  await world.jobs()
  expect(await at.link()).toMatchObject({ state: 'following', last_error: null })
  expect((await at.theirs()).get('refs/heads/main')).toBe(ours)
  expect(
    world.hearth.db.all('SELECT oid, side FROM mirror_kept_refs WHERE oid = ?', theirs),
  ).toEqual([{ oid: theirs, side: 'remote' }])
  expect(await world.hearth.git.readCommit(it.row(at.repo)?.store ?? '', theirs)).not.toBeNull()
})

test('a token goes only to the origin that it was given for', async () => {
  const at = await it.pair()
  await world.call(createMirror, ada, {
    repo: at.repo,
    url: at.url,
    role: 'follower',
    secret: 'very secret',
  })
  const { id } = await at.link()
  const renamed = at.url.replace('.git', '2.git')
  await world.call(updateMirror, ada, { repo: at.repo, id, url: renamed })
  expect(await at.link()).toMatchObject({ url: renamed, has_secret: true })
  await world.call(updateMirror, ada, { repo: at.repo, id, url: 'http://127.0.0.1:9/a.git' })
  expect(await at.link()).toMatchObject({ has_secret: false })
  await expect(
    world.call(updateMirror, ada, { repo: (await it.pair()).repo, id, name: 'x' }),
  ).rejects.toMatchObject({ code: 'not_found' })
})

test('why results are not reported is said until reports are turned off', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead()
  await world.jobs()
  const { id } = await at.link()
  expect(await at.link()).toMatchObject({
    settings: { report_checks: true },
    checks_problem: expect.stringContaining('not reported'),
  })
  await world.call(updateMirror, ada, { repo: at.repo, id, settings: { report_checks: false } })
  expect(await at.link()).toMatchObject({ checks_problem: null })
})
