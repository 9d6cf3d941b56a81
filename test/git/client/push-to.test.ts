import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { PushToOptions, Ref, RefSnapshot, RemoteRefs } from '#git'
import { startBackend, type Backend } from '../support/backend.ts'
import { makeHistory, objectsOf, refsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { outside } from '../support/outside.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string
let source: string
let server: Backend

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 23, commits: 100 })
  host = await startHost()
  server = startBackend(work)
  await host.create('one')
  await git(source, 'push', '-q', '--mirror', host.remote('one'))
  // What another fork has in the same store.
  const other = await makeHistory(work, 'other', { seed: 99, commits: 10, tags: false })
  host.refs.set('one@fork', new Map())
  await git(other, 'push', '-q', host.remote('one@fork'), 'main')
})

afterAll(async () => {
  await server.close()
  await host.close()
  discard(work)
})

const make = (name: string): Promise<string> =>
  git(work, 'init', '-q', '--bare', '-b', 'main', name)
const push = (name: string, options: Omit<PushToOptions, 'url'>) =>
  host.git.pushTo('one', outside(), { ...options, url: `${server.url}/${name}` })

/** Makes the remote's refs like ours. */
const mirror = (local: RefSnapshot) => (remote: RemoteRefs) => {
  const there = new Map(remote.refs.map((ref) => [ref.name, ref.oid]))
  const here = new Set(local.refs.map(({ name }) => name))
  return [
    ...local.refs
      .filter(({ name, oid }) => there.get(name) !== oid)
      .map(({ name, oid }) => ({ name, old: there.get(name) ?? null, new: oid })),
    ...remote.refs
      .filter(({ name }) => !here.has(name))
      .map(({ name, oid }) => ({ name, old: oid, new: null })),
  ]
}
const without = (
  snapshot: RefSnapshot,
  change: (refs: readonly Ref[]) => readonly Ref[],
): RefSnapshot => ({ ...snapshot, generation: crypto.randomUUID(), refs: change(snapshot.refs) })

test('a whole repository, then what changed, then what went', async () => {
  await make('copy')
  const all = await host.snapshot('one')
  const old = (await git(source, 'rev-parse', 'main~20')).trim()
  const first = without(all, (refs) =>
    refs.map((ref) => (ref.name === 'refs/heads/main' ? { ...ref, oid: old } : ref)),
  )
  const report = await push('copy', { local: first, commands: mirror(first) })
  expect(report.results.every(({ refused }) => refused === null)).toBe(true)
  const copy = join(work, 'copy')
  expect((await refsOf(copy)).get('refs/heads/main')).toBe(old)
  expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)

  const before = (await objectsOf(copy)).length
  await push('copy', { local: all, commands: mirror(all) })
  expect(await refsOf(copy)).toEqual(await refsOf(source))
  expect(await objectsOf(copy)).toEqual(await objectsOf(source))
  expect((await objectsOf(copy)).length).toBeGreaterThan(before)
  expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
  expect((await push('copy', { local: all, commands: mirror(all) })).results).toEqual([])

  const fewer = without(all, (refs) => refs.filter(({ name }) => name === 'refs/heads/main'))
  await push('copy', { local: fewer, commands: mirror(fewer) })
  expect([...(await refsOf(copy)).keys()]).toEqual(['refs/heads/main'])
})

test('the remote holds every ref to what it was, and an atomic push moves all or none', async () => {
  await make('races')
  const copy = join(work, 'races')
  const all = await host.snapshot('one')
  await push('races', { local: all, commands: mirror(all) })
  const [main, older] = await Promise.all([
    git(source, 'rev-parse', 'main'),
    git(source, 'rev-parse', 'main~3'),
  ])
  const commands = () => [
    { name: 'refs/heads/main', old: older, new: main },
    { name: 'refs/heads/fresh', old: null, new: older },
  ]
  const split = await push('races', { local: all, commands })
  expect(split.results[0]?.refused).not.toBeNull()
  expect(split.results[1]).toEqual({ name: 'refs/heads/fresh', refused: null })
  await git(copy, 'update-ref', '-d', 'refs/heads/fresh')
  const joined = await push('races', { local: all, commands, atomic: true })
  expect(joined.results.every(({ refused }) => refused !== null)).toBe(true)
  expect((await refsOf(copy)).has('refs/heads/fresh')).toBe(false)
})

test('a hook of the remote refuses one ref, in its own words', async () => {
  await make('hooked')
  const copy = join(work, 'hooked')
  await Bun.write(
    join(copy, 'hooks', 'update'),
    '#!/bin/sh\nif [ "$1" = refs/heads/main ]; then echo "main is closed today" >&2; exit 1; fi\n',
  )
  await Bun.$`chmod +x ${join(copy, 'hooks', 'update')}`.quiet()
  const all = await host.snapshot('one')
  const said: string[] = []
  const report = await push('hooked', {
    local: all,
    commands: mirror(all),
    onProgress: (line) => said.push(line),
  })
  expect(report.results.find(({ name }) => name === 'refs/heads/main')?.refused).toBe(
    'hook declined',
  )
  expect(report.results.filter(({ refused }) => refused !== null).length).toBe(1)
  expect(said).toContain('main is closed today')
  expect((await refsOf(copy)).has('refs/heads/main')).toBe(false)
})

test('what only another fork has is never sent', async () => {
  await make('leak')
  const hidden = (await host.snapshot('one@fork')).refs[0]
  expect(hidden).toBeDefined()
  const all = await host.snapshot('one')
  await expect(
    push('leak', {
      local: all,
      commands: () => [{ name: 'refs/heads/main', old: null, new: hidden?.oid ?? '' }],
    }),
  ).rejects.toMatchObject({ code: 'missing' })
  expect((await refsOf(join(work, 'leak'))).size).toBe(0)
  expect(await git(join(work, 'leak'), 'count-objects')).toBe('0 objects, 0 kilobytes')
})

test('a remote of the same kind takes it too, and a read-only one says why not', async () => {
  await host.create('peer')
  const all = await host.snapshot('one')
  const report = await host.git.pushTo('one', outside(), {
    url: host.remote('peer'),
    local: all,
    commands: mirror(all),
    options: ['reason=test'],
  })
  expect(report.results.every(({ refused }) => refused === null)).toBe(true)
  expect([...(host.refs.get('peer') ?? [])].sort()).toEqual([...(await refsOf(source))].sort())
  expect(host.pushes.at(-1)?.options).toEqual(['reason=test'])
  await expect(push('nowhere', { local: all, commands: mirror(all) })).rejects.toMatchObject({
    status: 404,
  })
})
