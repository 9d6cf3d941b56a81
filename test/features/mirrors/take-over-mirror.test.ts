import { expect, test } from 'bun:test'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { handBackMirror } from '#features/mirrors/hand-back-mirror.ts'
import { takeOverMirror } from '#features/mirrors/take-over-mirror.ts'
import { MINUTE } from '#lib/time.ts'
import { git } from '../../git/support/real-git.ts'
import { makeMirrorWorld } from './fixture.ts'

const it = await makeMirrorWorld()
const { world, ada, door } = it

test('the remote leads, the service takes over, and the lead goes back without a loss', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead()
  await world.jobs()
  expect(await at.link()).toMatchObject({ state: 'standing_by', last_error: null, plan: null })
  expect(at.ours()).toEqual(await at.theirs())

  // The remote leads: it is followed, and nobody pushes here.
  const two = await at.push('main', 'two')
  await it.pass(5 * MINUTE)
  expect(at.ours().get('refs/heads/main')).toBe(two)
  await expect(world.commit(at.repo, 'main', { a: 'b' })).rejects.toThrow('leads: push to')
  await expect(
    world.call(createBranch, ada, { repo: at.repo, branch: 'x', from: two }),
  ).rejects.toMatchObject({ reason: 'rule', code: 'conflict' })

  const answer = await world.call(takeOverMirror, ada, { repo: at.repo })
  expect(answer.remotes[0]).toMatchObject({ state: 'takeover', state_by: { username: 'ada' } })
  const ours = await world.commit(at.repo, 'main', { a: 'b' })
  const theirs = await at.push('other', 'three')

  const { plan } = await world.call(handBackMirror, ada, { repo: at.repo, dry_run: true })
  expect(plan).toMatchObject({
    ready: true,
    refs: [
      { ref: 'refs/heads/main', action: 'push', takeover_sha: two, commits_ahead: 1 },
      { ref: 'refs/heads/other', action: 'fetch', remote_sha: theirs, takeover_sha: null },
    ],
  })
  expect(await at.link()).toMatchObject({ state: 'takeover' })
  await world.call(handBackMirror, ada, { repo: at.repo })
  await world.jobs()
  expect(await at.link()).toMatchObject({ state: 'standing_by', last_error: null })
  expect(await at.theirs()).toEqual(at.ours())
  expect(at.ours()).toEqual(
    new Map([
      ['refs/heads/main', ours],
      ['refs/heads/other', theirs],
    ]),
  )
})

test('while the remote is away workflows may run, and the service takes over by itself', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead({ take_over_after: 10, hand_back: 'automatic' })
  await world.jobs()
  door.isDown = true
  await it.pass(2 * MINUTE)
  expect(await at.link()).toMatchObject({ state: 'standing_by', reachable: false })
  await it.pass(2 * MINUTE)
  expect(await at.link()).toMatchObject({ state: 'ci_failover', state_by: null })
  await expect(world.commit(at.repo, 'main', { a: 'b' })).rejects.toThrow('leads')
  await it.pass(10 * MINUTE)
  expect(await at.link()).toMatchObject({ state: 'takeover', state_by: null })
  const ours = await world.commit(at.repo, 'main', { a: 'b' })
  door.isDown = false
  await it.pass(9 * MINUTE)
  expect(await at.link()).toMatchObject({ state: 'takeover', reachable: true })
  await it.pass(3 * MINUTE)
  expect(await at.link()).toMatchObject({ state: 'standing_by', state_by: null })
  expect((await at.theirs()).get('refs/heads/main')).toBe(ours)
  expect(
    world
      .events('mirror.state_changed')
      .filter(
        ({ data }) => data.mirror === world.events('mirror.state_changed').at(-1)?.data.mirror,
      )
      .map(({ data }) => data.state),
  ).toEqual(['setting_up', 'standing_by', 'ci_failover', 'takeover', 'handing_back', 'standing_by'])
})

test('commits on both sides wait for a choice, and what loses is kept', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.lead()
  await world.jobs()
  await world.call(takeOverMirror, ada, { repo: at.repo })
  const ours = await world.commit(at.repo, 'main', { a: 'b' })
  const theirs = await at.push('main', 'two')
  const refused = await world
    .call(handBackMirror, ada, { repo: at.repo })
    .then(() => null)
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({
    code: 'conflict',
    reason: 'diverged',
    details: { plan: { ready: false, refs: [{ action: 'conflict', service_sha: ours }] } },
  })
  expect((await at.theirs()).get('refs/heads/main')).toBe(theirs)
  await world.call(handBackMirror, ada, {
    repo: at.repo,
    resolve: { 'refs/heads/main': 'ours' },
  })
  await world.jobs()
  expect(await at.link()).toMatchObject({ state: 'standing_by' })
  expect((await at.theirs()).get('refs/heads/main')).toBe(ours)
  const kept = world.hearth.db.all(
    'SELECT oid, name, side FROM mirror_kept_refs WHERE repo_id = ?',
    it.row(at.repo)?.id ?? '',
  )
  expect(kept).toEqual([{ oid: theirs, name: 'refs/heads/main', side: 'remote' }])
})

test('a remote that refuses one branch gets the others, and the takeover goes on', async () => {
  const at = await it.pair()
  await at.push('main', 'one')
  await at.push('other', 'two')
  await at.lead()
  await world.jobs()
  await world.call(takeOverMirror, ada, { repo: at.repo })
  const main = await world.commit(at.repo, 'main', { a: 'b' })
  const other = await world.commit(at.repo, 'other', { a: 'b' })
  const hook = `${at.remote}/hooks/pre-receive`
  await Bun.write(
    hook,
    '#!/bin/sh\nwhile read a b ref; do [ "$ref" = refs/heads/main ] && exit 1; done; exit 0\n',
  )
  await git(at.remote, 'config', 'core.hooksPath', `${at.remote}/hooks`)
  Bun.spawnSync(['chmod', '+x', hook])
  await world.call(handBackMirror, ada, { repo: at.repo })
  await world.jobs()
  const after = await at.link()
  expect(after).toMatchObject({ state: 'takeover' })
  expect(after.last_error).toContain('refs/heads/main')
  expect((await at.theirs()).get('refs/heads/other')).toBe(other)
  Bun.spawnSync(['rm', hook])
  await world.call(handBackMirror, ada, { repo: at.repo })
  await world.jobs()
  expect(await at.link()).toMatchObject({ state: 'standing_by' })
  expect((await at.theirs()).get('refs/heads/main')).toBe(main)
})
