import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { makeHistory } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string
let source: string

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 33, commits: 50 })
  await git(source, 'config', 'uploadpack.allowFilter', 'true')
  await git(source, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
  host = await startHost()
  await host.create('one')
  await git(source, 'push', '-q', '--mirror', host.remote('one'))
})

afterAll(async () => {
  await host.close()
  discard(work)
})

/** The ids that a partial clone holds itself. */
async function held(copy: string): Promise<string[]> {
  const text = await git(
    copy,
    'cat-file',
    '--batch-all-objects',
    '--batch-check=%(objectname)',
    '--unordered',
  )
  return text.split('\n').sort()
}

for (const filter of [
  'blob:none',
  'blob:limit=1k',
  'blob:limit=700',
  'tree:0',
  'tree:1',
  'tree:2',
  'tree:3',
  'object:type=commit',
  'combine:tree:3+blob:limit=1k',
]) {
  test(`--filter=${filter} leaves out what git leaves out`, async () => {
    const name = filter.replace(/\W/g, '-')
    const clone = (remote: string, copy: string) =>
      git(work, 'clone', '-q', '--bare', `--filter=${filter}`, remote, copy)
    await clone(host.remote('one'), join(work, `ours-${name}`))
    await clone(`file://${source}`, join(work, `theirs-${name}`))
    expect(await held(join(work, `ours-${name}`))).toEqual(await held(join(work, `theirs-${name}`)))
  })
}

test('what was left out comes when it is needed', async () => {
  const copy = join(work, 'lazy')
  await git(work, 'clone', '-q', '--filter=blob:none', host.remote('one'), copy)
  expect(await git(copy, 'status', '--porcelain')).toBe('')
  const old = (await git(copy, 'rev-list', '--first-parent', 'main')).split('\n').at(-1)!
  await git(copy, 'checkout', '-q', old)
  expect(await git(copy, 'rev-parse', 'HEAD^{tree}')).toBe(
    await git(source, 'rev-parse', `${old}^{tree}`),
  )
})

test('filters that are not served are refused by name', async () => {
  const ran = await tryGit(work, [
    'clone',
    '-q',
    '--bare',
    '--filter=sparse:oid=main:x',
    host.remote('one'),
    join(work, 'sparse'),
  ])
  expect(ran.code).not.toBe(0)
  expect(ran.err).toContain('sparse')
})
