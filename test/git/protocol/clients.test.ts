import { afterAll, beforeAll, expect, test } from 'bun:test'
import fs from 'node:fs'
import { join } from 'node:path'
import isomorphic from 'isomorphic-git'
import http from 'isomorphic-git/http/node'
import { makeHistory } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { dataLines, rawV2 } from '../support/raw.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string
let source: string

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 8, commits: 30, merges: false })
  host = await startHost()
  await host.create('one')
  await git(source, 'push', '-q', '--mirror', host.remote('one'))
})

afterAll(async () => {
  await host.close()
  discard(work)
})

test('isomorphic-git clones, fetches and pushes', async () => {
  const dir = join(work, 'iso')
  const url = host.remote('one')
  await isomorphic.clone({ fs, http, dir, url, ref: 'main' })
  expect(await isomorphic.resolveRef({ fs, dir, ref: 'HEAD' })).toBe(
    await git(source, 'rev-parse', 'main'),
  )
  fs.writeFileSync(join(dir, 'new.txt'), 'from another client\n')
  await isomorphic.add({ fs, dir, filepath: 'new.txt' })
  const oid = await isomorphic.commit({
    fs,
    dir,
    message: 'new',
    author: { name: 'Iso', email: 'iso@example.org' },
  })
  const pushed = await isomorphic.push({
    fs,
    http,
    dir,
    url,
    ref: 'main',
    remoteRef: 'refs/heads/iso',
  })
  expect(pushed.ok).toBe(true)
  expect(host.refs.get('one')!.get('refs/heads/iso')).toBe(oid)
  const shallow = join(work, 'iso-shallow')
  await isomorphic.clone({ fs, http, dir: shallow, url, ref: 'main', depth: 1, singleBranch: true })
  expect((await isomorphic.log({ fs, dir: shallow })).length).toBe(1)
  await isomorphic.fetch({ fs, http, dir: shallow, url, ref: 'main', depth: 5, singleBranch: true })
  expect((await isomorphic.log({ fs, dir: shallow })).length).toBe(5)
  expect((await tryGit(dir, ['fsck', '--strict'])).code).toBe(0)
})

test('boundaries are said without line feeds, which libgit2 insists on', async () => {
  const tip = await git(source, 'rev-parse', 'main')
  const answer = (await rawV2(host, 'one', 'fetch', [`want ${tip}`, 'deepen 1', 'done'])).toString(
    'latin1',
  )
  expect(answer).toContain(`0034shallow ${tip}0`)
  expect(dataLines(Buffer.from(answer, 'latin1'))[0]).toBe('shallow-info')
})
