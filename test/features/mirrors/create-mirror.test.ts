import { expect, test } from 'bun:test'
import { createMirror } from '#features/mirrors/create-mirror.ts'
import { getMirror } from '#features/mirrors/get-mirror.ts'
import { getRepo } from '#features/repos/index.ts'
import { MINUTE } from '#lib/time.ts'
import { git } from '../../git/support/real-git.ts'
import { makeMirrorWorld } from './fixture.ts'

const it = await makeMirrorWorld()
const { world, ada } = it

test('a follower gets branches, tags and deletions, and nothing that others made is lost', async () => {
  const at = await it.pair()
  await world.commit(at.repo, 'main', { a: '1' })
  const { remotes, can_manage } = await world.call(createMirror, ada, {
    repo: at.repo,
    url: at.url,
    role: 'follower',
    username: 'ada',
    secret: 'very secret',
  })
  expect(can_manage).toBe(true)
  expect(remotes).toMatchObject([
    { role: 'follower', state: 'following', provider: 'generic', has_secret: true, repo: at.repo },
  ])
  expect(JSON.stringify(remotes)).not.toContain('very secret')
  expect(JSON.stringify(world.hearth.db.all('SELECT * FROM mirrors'))).not.toContain('very secret')
  await world.jobs()
  expect(await at.theirs()).toEqual(at.ours())

  // A push here arrives there by itself.
  const next = await world.commit(at.repo, 'main', { a: '2' })
  world.clock.advance(MINUTE)
  await world.jobs()
  expect((await at.theirs()).get('refs/heads/main')).toBe(next)

  // Somebody pushes there: that branch is left alone.
  const theirs = await at.push('main', 'theirs')
  await world.commit(at.repo, 'main', { a: '3' })
  const other = await world.commit(at.repo, 'other', { a: '3' })
  world.clock.advance(MINUTE)
  await world.jobs()
  expect(await at.link()).toMatchObject({ state: 'diverged' })
  expect((await at.link()).last_error).toContain('refs/heads/main')
  expect((await at.theirs()).get('refs/heads/main')).toBe(theirs)
  expect((await at.theirs()).get('refs/heads/other')).toBe(other)

  // The remote is repaired, and a sync follows again.
  await git(at.remote, 'update-ref', 'refs/heads/main', next)
  await it.pass(6 * MINUTE)
  expect(await at.link()).toMatchObject({ state: 'following', last_error: null })
  expect(await at.theirs()).toEqual(at.ours())
})

test('a leader is one, and its address must be allowed', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  const create = (input: Record<string, unknown>, as = ada) =>
    world.call(createMirror, as, { repo: at.repo, url: at.url, role: 'leader', ...input } as never)
  await expect(create({ url: 'http://10.0.0.1/a.git' })).rejects.toMatchObject({ field: 'url' })
  await expect(create({ url: 'ssh://git@10.0.0.1/a.git' })).rejects.toMatchObject({ field: 'url' })
  await expect(create({ url: 'git://example.com/a.git' })).rejects.toThrow(
    'an address that begins with https:// or ssh://, or one such as git@host:path',
  )
  await expect(create({ settings: { take_over_after: 4 } })).rejects.toMatchObject({
    code: 'invalid',
  })
  const bob = await world.user('bob')
  await expect(create({}, bob)).rejects.toMatchObject({ reason: 'role' })
  expect((await world.call(getMirror, ada, { repo: at.repo })).remotes).toEqual([])
  await create({ settings: { notify: 'none', take_over_after: 5 } })
  await expect(create({})).rejects.toMatchObject({ reason: 'already_exists' })
  const other = await it.pair()
  await expect(create({ url: other.url })).rejects.toThrow('another remote leads')
  await world.jobs()
  expect((await at.link()).settings).toMatchObject({ notify: 'none', take_over_after: 5 })
  expect((await world.call(getRepo, ada, { repo: at.repo })).mirror).toMatchObject({
    role: 'leader',
    state: 'standing_by',
  })
})

test('a setup that fails three times has failed, and says why', async () => {
  const at = await it.pair()
  await world.call(createMirror, ada, {
    repo: at.repo,
    url: at.url.replace('.git', '-missing.git'),
    role: 'leader',
  })
  await world.jobs()
  expect(await at.link()).toMatchObject({ state: 'setting_up' })
  await it.pass(5 * MINUTE)
  const { state, last_error } = await at.link()
  expect(state).toBe('failed')
  expect(last_error).toContain('404')
})
