import { expect, test } from 'bun:test'
import { syncMirror } from '#features/mirrors/sync-mirror.ts'
import { takeOverMirror } from '#features/mirrors/take-over-mirror.ts'
import { MINUTE } from '#lib/time.ts'
import { git } from '../../git/support/real-git.ts'
import { makeMirrorWorld } from './fixture.ts'

const it = await makeMirrorWorld()
const { world, ada, door } = it

const keptOf = (repo: string) =>
  world.hearth.db.all<{ oid: string; name: string }>(
    'SELECT oid, name FROM mirror_kept_refs WHERE repo_id = ? ORDER BY name',
    it.row(repo)?.id ?? '',
  )

test('forced moves and deletions by the leader are followed, and the old tips are kept', async () => {
  const at = await it.pair()
  const one = await at.push('main', 'one')
  const gone = await at.push('gone', 'two')
  await at.push('main', 'three')
  await git(at.clone, 'tag', 'v1', one)
  await git(at.clone, 'push', '-q', 'origin', 'v1')
  await at.lead()
  await world.jobs()
  const three = at.ours().get('refs/heads/main')
  await git(at.remote, 'update-ref', 'refs/heads/main', one)
  await git(at.remote, 'update-ref', '-d', 'refs/heads/gone')
  await world.call(syncMirror, ada, { repo: at.repo })
  await world.jobs()
  expect(at.ours()).toEqual(await at.theirs())
  expect(keptOf(at.repo)).toEqual([
    { oid: gone, name: 'refs/heads/gone' },
    { oid: three ?? '', name: 'refs/heads/main' },
  ])
  await it.pass(5 * MINUTE)
  world.clock.advance(91 * 24 * 60 * MINUTE)
  await it.watch()
  expect(keptOf(at.repo)).toEqual([])
})

test('a first fetch takes three requests and a sync of nothing two, over one connection', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  const askedBy = async (work: () => Promise<unknown>) => {
    const before = door.asked.length
    await work()
    await world.jobs()
    const asked = door.asked.slice(before)
    return {
      paths: asked.map(({ path }) => path.slice(path.indexOf('.git/') + 5)),
      connections: new Set(asked.map(({ port }) => port)).size,
    }
  }
  expect(await askedBy(() => at.lead())).toEqual({
    paths: ['info/refs', 'git-upload-pack', 'git-upload-pack'],
    connections: 1,
  })
  expect(at.ours()).toEqual(await at.theirs())
  expect(await askedBy(() => world.call(syncMirror, ada, { repo: at.repo }))).toEqual({
    paths: ['info/refs', 'git-upload-pack'],
    connections: 1,
  })
})

test('an emptied remote empties nothing until an administrator accepts it', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead()
  await world.jobs()
  const before = at.ours()
  await git(at.remote, 'update-ref', '-d', 'refs/heads/main')
  await it.pass(6 * MINUTE)
  expect(at.ours()).toEqual(before)
  expect((await at.link()).last_error).toContain('Nothing was deleted here')
  // During a takeover the service refills it.
  await world.call(takeOverMirror, ada, { repo: at.repo })
  const { handBackMirror } = await import('#features/mirrors/hand-back-mirror.ts')
  await world.call(handBackMirror, ada, { repo: at.repo })
  await world.jobs()
  expect(await at.theirs()).toEqual(before)
  await git(at.remote, 'update-ref', '-d', 'refs/heads/main')
  await world.call(syncMirror, ada, { repo: at.repo })
  await world.jobs()
  expect(at.ours().size).toBe(0)
})

test('a fetch that was begun before a takeover changes nothing afterwards', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead()
  await world.jobs()
  const before = at.ours()
  await at.push('main', 'two')
  let isTaken = false
  door.before = async (request) => {
    if (request.method !== 'POST' || isTaken || !request.url.includes(at.repo.split('/')[1] ?? ''))
      return
    isTaken = true
    await world.call(takeOverMirror, ada, { repo: at.repo })
  }
  await world.call(syncMirror, ada, { repo: at.repo })
  await world.jobs()
  door.before = async () => {}
  expect(isTaken).toBe(true)
  expect(at.ours()).toEqual(before)
  expect(await at.link()).toMatchObject({ state: 'takeover' })
})

test('commits on the remote during a takeover are held, or taken when they only add', async () => {
  const held = await it.pair()
  await held.push('main', 'one')
  await held.lead()
  const taking = await it.pair()
  await taking.push('main', 'one')
  await taking.lead({ remote_pushes: 'fast_forward' })
  await world.jobs()
  for (const { repo } of [held, taking]) await world.call(takeOverMirror, ada, { repo })
  const before = held.ours()
  const next = await taking.push('main', 'two')
  await held.push('main', 'two')
  await it.pass(6 * MINUTE)
  expect(held.ours()).toEqual(before)
  expect((await held.link()).plan).toMatchObject({ refs: [{ action: 'fetch' }] })
  expect(taking.ours().get('refs/heads/main')).toBe(next)
})

test('nothing to sync is an error that names the repository', async () => {
  const { repo } = await it.pair()
  await expect(world.call(syncMirror, ada, { repo })).rejects.toThrow(`${repo} has no mirror links`)
})
