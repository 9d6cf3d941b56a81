import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { makeHistory, objectsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string
let source: string

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 61, commits: 120 })
  host = await startHost({ workers: 2, concurrency: 3 })
  await host.create('one')
  host.refs.set('one@fork', new Map())
})

afterAll(async () => {
  await host.close()
  discard(work)
})

test('pushes, clones and maintenance at once leave a sound store', async () => {
  const all = (await git(source, 'rev-list', '--first-parent', 'main')).split('\n')
  await git(source, 'push', '-q', host.remote('one'), `${all.at(-1)}:refs/heads/start`)
  const pushes = Array.from({ length: 8 }, (_, i) => {
    const namespace = i % 2 ? 'one' : 'one@fork'
    return tryGit(source, ['push', '-q', host.remote(namespace), `${all[i * 6]}:refs/heads/b${i}`])
  })
  const clones = Array.from({ length: 3 }, (_, i) =>
    tryGit(work, ['clone', '-q', '--mirror', host.remote('one'), join(work, `c${i}`)]),
  )
  const tips = () => [...host.refs.get('one')!.values(), ...host.refs.get('one@fork')!.values()]
  await host.git.maintain('one', tips())
  for (const push of await Promise.all(pushes)) expect(push.code).toBe(0)
  await host.git.maintain('one', tips())
  for (const [i, clone] of (await Promise.all(clones)).entries()) {
    expect(clone.code).toBe(0)
    expect((await tryGit(join(work, `c${i}`), ['fsck', '--strict'])).code).toBe(0)
  }
  expect(await host.git.verify('one', tips())).toEqual([])
  await git(work, 'clone', '-q', '--mirror', host.remote('one@fork'), join(work, 'fork'))
  expect((await objectsOf(join(work, 'fork'))).length).toBe(
    Number(
      await git(source, 'rev-list', '--objects', '--count', ...host.refs.get('one@fork')!.values()),
    ),
  )
})

test('of two pushes to one ref the second is told to fetch first', async () => {
  const [a, b] = (await git(source, 'rev-list', '--first-parent', 'main')).split('\n')
  let waiting = 0
  const both = Promise.withResolvers<void>()
  host.before = async () => {
    if (++waiting === 2) both.resolve()
    await both.promise
  }
  const results = await Promise.all(
    [a, b].map((oid) => tryGit(source, ['push', host.remote('one'), `${oid}:refs/heads/race`])),
  )
  host.before = async () => {}
  expect(results.map((result) => result.code).sort()).toEqual([0, 1])
  expect(results.find((result) => result.code === 1)!.err).toContain('stale info')
  expect([a, b]).toContain(host.refs.get('one')!.get('refs/heads/race'))
})
