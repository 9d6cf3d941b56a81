import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHost, type TestHost } from '../support/host.ts'
import { git, tryGit } from '../support/real-git.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-search-'))
const work = join(directory, 'work')
let host: TestHost

beforeAll(async () => {
  host = await startHost()
  await git(directory, 'init', '-q', '-b', 'main', 'work')
})
afterAll(async () => {
  await host.close()
  rmSync(directory, { recursive: true, force: true })
})

let made = 0
const commit = async (message: string): Promise<string> => {
  await git(work, 'add', '-A')
  await git(work, 'commit', '-q', '--allow-empty', '-m', message)
  return (await git(work, 'rev-parse', 'HEAD')).trim()
}
const put = (name: string, text: string): void => writeFileSync(join(work, name), text)
/** A new line of history that starts from nothing. */
const fresh = async (): Promise<void> => {
  await git(work, 'checkout', '-q', '--orphan', `line${++made}`)
  await git(work, 'rm', '-rfq', '--ignore-unmatch', '.')
}

const search = { words: ['KEY'], pattern: 'KEY[0-9]+' }

async function found(
  tips: readonly string[],
  hide: readonly string[] = [],
  most?: { commits?: number; bytes?: number; matches?: number },
) {
  const store = `s${++made}`
  await host.create(store)
  await git(work, 'push', '-q', host.remote(store), '--all')
  const { matches, ...rest } = await host.git.searchAdded(store, {
    tips,
    hide,
    ...search,
    ...(most && { limits: most }),
  })
  return {
    ...rest,
    matches: matches.map(
      ({ commit, path, line, text }) => `${commit.slice(0, 7)} ${path}:${line} ${text}`,
    ),
  }
}

test('what a commit adds is found with its place, also when a later one takes it out again', async () => {
  await fresh()
  put('a.txt', 'one\nKEY1 and KEY2\n')
  const first = await commit('first')
  put('a.txt', 'one\nKEY1\nthree\n\nKEY3\n')
  const second = await commit('second')
  put('a.txt', 'clean\n')
  const third = await commit('third')
  expect((await found([third])).matches).toEqual([
    `${second.slice(0, 7)} a.txt:5 KEY3`,
    `${first.slice(0, 7)} a.txt:2 KEY1`,
    `${first.slice(0, 7)} a.txt:2 KEY2`,
  ])
  expect((await found([third], [first])).matches).toEqual([`${second.slice(0, 7)} a.txt:5 KEY3`])
  expect(await found([third], [third])).toEqual({ matches: [], commits: 0, complete: true })
})

test('a file that moves brings nothing new, even when it is changed on the way; a copy does', async () => {
  await fresh()
  put('a.txt', `KEY1\n${'line\n'.repeat(50)}`)
  const first = await commit('first')
  await git(work, 'mv', 'a.txt', 'b.txt')
  put('b.txt', `KEY1\n${'line\n'.repeat(50)}more KEY5\n`)
  const moved = await commit('moved')
  put('c.txt', 'KEY1\n')
  const copied = await commit('copied')
  expect((await found([copied], [first])).matches).toEqual([
    `${copied.slice(0, 7)} c.txt:1 KEY1`,
    `${moved.slice(0, 7)} b.txt:52 KEY5`,
  ])
})

test('a merge adds only what none of its parents has, and the commit behind it is still found', async () => {
  await fresh()
  put('base.txt', 'base\n')
  const base = await commit('base')
  const main = (await git(work, 'branch', '--show-current')).trim()
  await git(work, 'checkout', '-q', '-b', `side${made}`)
  put('side.txt', 'KEY7\n')
  const side = await commit('side')
  await git(work, 'checkout', '-q', main)
  put('main.txt', 'KEY8\n')
  const other = await commit('main')
  await git(work, 'merge', '-q', '--no-ff', '--no-commit', `side${made}`)
  put('evil.txt', 'KEY9\n')
  put('main.txt', 'KEY8\nKEY10\n')
  const merge = await commit('merge')
  const short = (oid: string) => oid.slice(0, 7)
  const { matches } = await found([merge], [base])
  expect(matches.toSorted()).toEqual(
    [
      `${short(merge)} evil.txt:1 KEY9`,
      `${short(merge)} main.txt:2 KEY10`,
      `${short(side)} side.txt:1 KEY7`,
      `${short(other)} main.txt:1 KEY8`,
    ].toSorted(),
  )
  expect((await found([merge], [side, other])).matches).toEqual([
    `${short(merge)} evil.txt:1 KEY9`,
    `${short(merge)} main.txt:2 KEY10`,
  ])
})

test('binary files and names that are not UTF-8 are searched; bounds stop it and are told', async () => {
  await fresh()
  writeFileSync(
    join(work, 'b.bin'),
    Buffer.concat([Buffer.alloc(3000), Buffer.from('\nKEY4\xff', 'latin1')]),
  )
  const binary = await commit('binary')
  writeFileSync(Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0x66, 0xe9])]), 'KEY6')
  const odd = await commit('odd')
  expect((await found([odd])).matches).toEqual([
    `${odd.slice(0, 7)} f\ufffd:1 KEY6`,
    `${binary.slice(0, 7)} b.bin:2 KEY4`,
  ])
  expect(await found([odd], [], { commits: 1 })).toMatchObject({
    commits: 1,
    complete: false,
    matches: [`${odd.slice(0, 7)} f\ufffd:1 KEY6`],
  })
  expect(await found([odd], [], { bytes: 1 })).toMatchObject({ commits: 1, complete: false })
  expect(await found([odd], [], { matches: 1 })).toMatchObject({ commits: 1, complete: false })
  expect(await found([odd], [], { commits: 2, matches: 3 })).toMatchObject({
    commits: 2,
    complete: true,
  })
})

const write = async (args: readonly string[], input: string): Promise<string> =>
  (await tryGit(work, args, { input })).out.trim()

test('a tree of millions of paths is searched, each directory once', async () => {
  const blob = await write(['hash-object', '-w', '--stdin'], 'clean')
  const key = await write(['hash-object', '-w', '--stdin'], 'KEY20')
  const entries = (count: number, entry: string): string =>
    Array.from({ length: count }, (_, at) => `${entry}\t${at}\n`).join('')
  const directory = await write(['mktree'], entries(1_000, `100644 blob ${blob}`))
  const large = await write(['mktree'], entries(1_100, `040000 tree ${directory}`))
  // 10 to the power of 12 paths.
  let bomb = await write(['mktree'], entries(10, `100644 blob ${blob}`))
  for (let depth = 1; depth < 12; depth++)
    bomb = await write(['mktree'], entries(10, `040000 tree ${bomb}`))
  const root = `040000 tree ${bomb}\tbomb\n040000 tree ${large}\tlarge\n`
  const first = await git(work, 'commit-tree', '-m', 'a', await write(['mktree'], root))
  const withKey = await write(['mktree'], `${root}100644 blob ${key}\tz\n`)
  const second = await git(work, 'commit-tree', '-m', 'b', '-p', first, withKey)
  const alone = await git(work, 'commit-tree', '-m', 'c', withKey)
  const store = 'millions'
  await host.create(store)
  for (const [name, tip] of Object.entries({ second, alone }))
    await git(work, 'push', '-q', host.remote(store), `${tip}:refs/heads/${name}`)
  const { matches, commits } = await host.git.searchAdded(store, {
    tips: [second, alone],
    ...search,
  })
  expect(commits).toBe(3)
  expect(matches.map(({ commit, path }) => `${commit} ${path}`).sort()).toEqual(
    [`${second} z`, `${alone} z`].sort(),
  )
})

test('a search that is given up ends', async () => {
  const ended = AbortSignal.abort()
  await host.create('given-up')
  const [tip = ''] = (await git(work, 'rev-list', '-1', '--all')).trim().split('\n')
  await git(work, 'push', '-q', host.remote('given-up'), '--all')
  await expect(
    host.git.searchAdded('given-up', { tips: [tip], ...search }, ended),
  ).rejects.toThrow()
})
