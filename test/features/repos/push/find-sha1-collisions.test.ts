import { expect, test } from 'bun:test'
import { push } from '#features/repos/push/push.ts'
import { readRef, repoByPath } from '#features/repos/index.ts'
import { COLLISION_SCAN_DELAY_MS } from '#features/repos/push/find-sha1-collisions.ts'
import { makeWorld } from '../../../world.ts'

const world = await makeWorld()
const { hearth } = world
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada })
await world.repo('acme/site')
const main = await world.commit('acme/site', 'main', { 'a.txt': 'a' })
const entries = () =>
  hearth.db.all<{ action: string; data: string }>(
    `SELECT action, data FROM audit_log WHERE action = 'repo.forged_objects_found'`,
  )

test('what a push had no time to look at is looked at later, and what is found is written down', async () => {
  const row = repoByPath(hearth.db, 'acme/site')
  if (!row) throw new Error('no repository')
  const asked: unknown[] = []
  const real = hearth.git.findSha1Collisions
  let found: string[] = []
  Object.assign(hearth.git, {
    findSha1Collisions: async (...args: Parameters<typeof real>) => [
      ...(await real(...args)),
      ...(asked.push(args.slice(0, 2)), found),
    ],
  })
  const author = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000, zone: '+0000' }
  const bytes = new TextEncoder().encode('b')
  const { commit } = await hearth.git.commitFiles(row.store, {
    parent: main,
    changes: [{ action: 'put', path: 'b.txt', data: bytes }],
    message: 'b',
    author,
    committer: author,
  })
  const pushTo = (branch: string, unscanned: boolean) =>
    world.call(push, ada, {
      repo: 'acme/site',
      unscanned,
      updates: [{ name: `refs/heads/${branch}`, old: null, new: commit }],
    })
  await pushTo('small', false)
  world.clock.advance(COLLISION_SCAN_DELAY_MS)
  await world.jobs()
  expect(asked).toEqual([])
  await pushTo('large', true)
  world.clock.advance(COLLISION_SCAN_DELAY_MS)
  await world.jobs()
  expect(asked).toEqual([[row.store, { tips: [commit], hide: [main] }]])
  expect(entries()).toEqual([])
  found = [commit]
  await pushTo('other', true)
  world.clock.advance(COLLISION_SCAN_DELAY_MS)
  await world.jobs()
  expect(entries().map(({ data }) => JSON.parse(data))).toMatchObject([{ objects: [commit] }])
  // The refs stay: taking history away is for people to decide.
  expect(readRef(hearth.db, row.id, 'refs/heads/other')).toBe(commit)
})
