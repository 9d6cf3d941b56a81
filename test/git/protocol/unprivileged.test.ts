import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeHistory } from '../support/history.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

const NOBODY = 65534
const root = fileURLToPath(new URL('../../..', import.meta.url))
const asRoot = process.getuid?.() === 0
let work: string
let server: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
let url: string

beforeAll(async () => {
  work = scratch()
  chmodSync(work, 0o755)
  const served = join(work, 'served')
  mkdirSync(served)
  await git(served, 'init', '-q', '--bare', 'one')
  if (asRoot)
    for (const name of ['', ...readdirSync(served, { recursive: true }).map(String)])
      chownSync(join(served, name), NOBODY, NOBODY)
  // Root may open what it must not write: the fault would not be seen.
  const person = asRoot
    ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
    : []
  server = Bun.spawn(
    [...person, process.execPath, join(root, 'test/system/serve-bare.ts'), served],
    {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
      env: { ...process.env, HOME: served },
    },
  )
  const { value } = await server.stdout.getReader().read()
  url = Buffer.from(value ?? [])
    .toString()
    .trim()
})

afterAll(async () => {
  server.kill()
  await server.exited
  discard(work)
})

test('a process without special rights takes pushes, whole and thin, and leaves packs that nobody writes to', async () => {
  const source = await makeHistory(work, 'source', { seed: 4, commits: 30 })
  const first = await tryGit(source, ['push', '-q', `${url}one`, 'main~3:refs/heads/main'])
  expect([first.code, first.err]).toEqual([0, ''])
  const second = await tryGit(source, ['push', '-q', `${url}one`, 'refs/heads/*:refs/heads/*'])
  expect([second.code, second.err]).toEqual([0, ''])
  const packs = join(work, 'served', 'one', 'objects', 'pack')
  const files = readdirSync(packs).filter((name) => /\.(pack|idx)$/.test(name))
  expect(files.length).toBeGreaterThanOrEqual(4)
  for (const name of files) expect(statSync(join(packs, name)).mode & 0o222).toBe(0)
  expect((await tryGit(work, ['clone', '-q', '--mirror', `${url}one`, 'copy'])).code).toBe(0)
  expect(await git(join(work, 'copy'), 'rev-parse', 'main')).toBe(
    await git(source, 'rev-parse', 'main'),
  )
})
