import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGit, GitError } from '#git'
import { geometricSplit } from '../../../src/git/tasks/maintain.ts'
import { makeHistory, objectsOf, refsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string
let source: string
const who = { name: 'Eve', email: 'eve@example.org', time: 1_600_000_000, zone: '+0000' }

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 77, commits: 40 })
})

beforeEach(async () => {
  host = await startHost()
  await host.create('one')
})

afterEach(() => host.close())
afterAll(() => discard(work))

const packs = () =>
  readdirSync(join(host.root, 'one', 'objects', 'pack')).filter((name) => name.endsWith('.pack'))
const put = (parent: string | null, path: string, text: string) =>
  host.git.commitFiles('one', {
    parent,
    changes: [{ action: 'put', path, data: Buffer.from(text) }],
    message: path,
    author: who,
    committer: who,
  })

describe('maintenance', () => {
  test('combines small packs and loses nothing', async () => {
    await git(source, 'push', '-q', '--mirror', host.remote('one'))
    let tip = await git(source, 'rev-parse', 'main')
    for (let i = 0; i < 12; i++) tip = (await put(tip, `page ${i}`, `text ${i}\n`)).commit
    expect(packs().length).toBe(13)
    // Two concurrent calls run one after the other.
    const [made] = await Promise.all([
      host.git.maintain('one', [tip]),
      host.git.maintain('one', [tip]),
    ])
    expect(made.packs).toBe(packs().length)
    expect(packs().length).toBeLessThan(4)
    expect(await host.git.verify('one', [tip, ...(await refsOf(source)).values()])).toEqual([])
    expect(
      (
        await tryGit(work, [
          '--git-dir',
          join(host.root, 'one'),
          'fsck',
          '--strict',
          '--no-dangling',
        ])
      ).code,
    ).toBe(0)
    expect((await host.git.readCommit('one', tip))?.message).toBe('page 11\n')
  })

  test('removes old unreachable objects, and nothing else', async () => {
    const first = await put(null, 'a', 'one\n')
    const kept = await put(first.commit, 'a', 'two\n')
    const lost = await put(first.commit, 'a', 'three\n')
    await host.git.maintain('one', [kept.commit], { graceMs: 3_600_000 })
    expect(await host.git.readCommit('one', lost.commit)).not.toBeNull()
    await host.git.maintain('one', [kept.commit], { graceMs: 0 })
    expect(await host.git.readCommit('one', lost.commit)).toBeNull()
    expect(await host.git.verify('one', [kept.commit])).toEqual([])
  })

  test('whole versions of a large file become deltas of the newest, and all stay readable', async () => {
    let state = 7
    const line = (at: number) =>
      `${at} ${Array.from({ length: 8 }, () => (state = (state * 48271) % 2147483647).toString(36)).join(' ')}`
    const lines = Array.from({ length: 4000 }, (_, at) => line(at))
    const texts: string[] = []
    const commits: string[] = []
    for (let edit = 0; edit < 25; edit++) {
      lines[(edit * 157) % lines.length] = `edited ${line(edit)}`
      texts.push(lines.join('\n'))
      commits.push((await put(commits.at(-1) ?? null, 'dir/large.txt', texts.at(-1) ?? '')).commit)
    }
    const tip = commits.at(-1) ?? ''
    const before = await host.git.sizeOf('one')
    await host.git.maintain('one', [tip])
    const after = await host.git.sizeOf('one')
    expect(after).toBeLessThan(before / 10)
    expect(await host.git.verify('one', [tip])).toEqual([])
    expect(
      (
        await tryGit(work, [
          '--git-dir',
          join(host.root, 'one'),
          'fsck',
          '--strict',
          '--no-dangling',
        ])
      ).code,
    ).toBe(0)
    for (const [at, commit] of commits.entries()) {
      const entry = await host.git.findEntry('one', commit, 'dir/large.txt')
      expect(
        Buffer.from((await host.git.readBlob('one', entry?.oid ?? ''))?.data ?? []).toString(),
      ).toBe(texts[at] ?? '')
    }
    // The newest version is whole, because it is read most.
    const pack = join(
      host.root,
      'one',
      'objects',
      'pack',
      packs()[0]?.replace(/pack$/, 'idx') ?? '',
    )
    const listed = await git(work, 'verify-pack', '-v', pack)
    const newest = (await host.git.findEntry('one', tip, 'dir/large.txt'))?.oid ?? ''
    expect(
      listed
        .split('\n')
        .find((row) => row.startsWith(newest))
        ?.trim()
        .split(/\s+/),
    ).toHaveLength(5)
    expect(listed).toContain('chain length = 24:')
    // Another run changes nothing, and further versions join the chain.
    for (let edit = 0; edit < 40; edit++)
      commits.push(
        (await put(commits.at(-1) ?? null, 'dir/large.txt', `${texts.at(-1)}\n${edit}`)).commit,
      )
    await host.git.maintain('one', [commits.at(-1) ?? ''])
    expect(await host.git.sizeOf('one')).toBeLessThan(before / 8)
    expect(await host.git.verify('one', [commits.at(-1) ?? ''])).toEqual([])
    const depths = (
      await git(
        work,
        'verify-pack',
        '-v',
        ...packs().map((name) =>
          join(host.root, 'one', 'objects', 'pack', name.replace(/pack$/, 'idx')),
        ),
      )
    ).matchAll(/chain length = (\d+)/g)
    expect(Math.max(...[...depths].map(([, depth]) => Number(depth)))).toBeLessThanOrEqual(50)
  })

  test('a file that alternates between two versions causes no delta cycle', async () => {
    const [a, b] = ['a', 'b'].map((letter) =>
      Array.from(
        { length: 500 },
        (_, at) => `${letter === 'b' && at % 90 === 0 ? 'other' : 'line'} ${at}`,
      ).join('\n'),
    )
    let tip: string | null = null
    for (let turn = 0; turn < 9; turn++)
      tip = (await put(tip, 'file', `${turn % 2 === 0 ? a : b}`)).commit
    await host.git.maintain('one', [tip ?? ''])
    expect(await host.git.verify('one', [tip ?? ''])).toEqual([])
    expect(
      (
        await tryGit(work, [
          '--git-dir',
          join(host.root, 'one'),
          'fsck',
          '--strict',
          '--no-dangling',
        ])
      ).code,
    ).toBe(0)
  })

  test('keeps leased objects after their ref was deleted', async () => {
    const first = await put(null, 'a', 'one\n')
    const pushed = join(work, 'leased')
    host.refs.get('one')!.set('refs/heads/main', first.commit)
    await git(work, 'clone', '-q', host.remote('one'), pushed)
    await Bun.write(join(pushed, 'b'), 'two\n')
    await git(pushed, 'add', '.')
    await git(pushed, 'commit', '-qm', 'on top')
    host.before = async () => {
      await host.git.maintain('one', [], { graceMs: 0 })
    }
    await git(pushed, 'push', '-q', 'origin', 'HEAD:refs/heads/other')
    const tip = host.refs.get('one')!.get('refs/heads/other')!
    expect(await host.git.verify('one', [tip])).toEqual([])
    // A new commit is not removed before the host has created its ref.
    const second = await put(tip, 'c', 'three\n')
    await host.git.maintain('one', [], { graceMs: 3_600_000 })
    expect(await host.git.verify('one', [second.commit])).toEqual([])
  })

  test('writes a commit-graph that git verifies, and reads from it', async () => {
    await git(source, 'push', '-q', '--mirror', host.remote('one'))
    const tips = [...host.refs.get('one')!.values()]
    const main = host.refs.get('one')!.get('refs/heads/main')!
    const before = await host.git.log('one', { tips: [main] })
    await host.git.maintain('one', tips)
    const store = join(host.root, 'one')
    expect(existsSync(join(store, 'objects', 'info', 'commit-graph'))).toBe(true)
    expect(
      (await tryGit(work, ['--git-dir', store, 'commit-graph', 'verify', '--no-progress'])).err,
    ).toBe('')
    const counted = await git(work, '--git-dir', store, 'rev-list', '--count', main)
    expect(await host.git.countCommits('one', { tips: [main] })).toBe(Number(counted))
    expect(await host.git.log('one', { tips: [main] })).toEqual(before)
    const child = await put(main, 'after', 'the graph')
    expect(
      (await host.git.log('one', { tips: [child.commit], limit: 2 })).map((commit) => commit.oid),
    ).toEqual([child.commit, main])
    expect(await host.git.countAheadBehind('one', child.commit, main)).toMatchObject({
      ahead: 1,
      behind: 0,
    })
  })

  test('a commit-graph that was brought up to date equals one that was written at once', async () => {
    const all = (await git(source, 'rev-list', '--first-parent', 'main')).split('\n')
    const main = all[0]!
    const octopus = await git(
      source,
      ...['commit-tree', `${main}^{tree}`, '-m', 'Octopus'],
      ...[main, all[3]!, all[20]!, all[30]!].flatMap((parent) => ['-p', parent]),
    )
    const store = join(host.root, 'one')
    const path = join(store, 'objects', 'info', 'commit-graph')
    const graphOf = async (tips: string[], graceMs?: number): Promise<Buffer> => {
      await host.git.maintain('one', tips, graceMs === undefined ? {} : { graceMs })
      const { err } = await tryGit(work, ['--git-dir', store, 'commit-graph', 'verify'])
      expect(err).not.toContain('error')
      return readFileSync(path)
    }
    const atOnce = async (tips: string[]): Promise<Buffer> => {
      rmSync(path)
      return graphOf(tips)
    }
    await git(source, 'push', '-q', host.remote('one'), `${all[25]}:refs/heads/main`)
    await graphOf([all[25]!])
    await git(source, 'push', '-q', host.remote('one'), `${octopus}:refs/heads/main`)
    const updated = await graphOf([octopus])
    expect(updated).toEqual(await atOnce([octopus]))
    // Without a new commit the file stays.
    const { ino } = statSync(path)
    await graphOf([octopus])
    expect(statSync(path).ino).toBe(ino)
    // A commit that is about to be removed leaves the file.
    const after = await put(octopus, 'after', 'the merge')
    await graphOf([after.commit])
    const without = await graphOf([octopus], 0)
    expect(await host.git.readCommit('one', after.commit)).toBeNull()
    expect(without).toEqual(updated)
  })

  test('concurrent fetches are complete', async () => {
    await git(source, 'push', '-q', '--mirror', host.remote('one'))
    for (let i = 0; i < 6; i++) await put(null, `x${i}`, `${i}`)
    const tips = [...host.refs.get('one')!.values()]
    const clones = Array.from({ length: 4 }, (_, i) =>
      tryGit(work, ['clone', '-q', '--mirror', host.remote('one'), join(work, `busy-${i}`)]),
    )
    await host.git.maintain('one', tips, { graceMs: 0 })
    for (const [i, clone] of (await Promise.all(clones)).entries()) {
      expect(clone.code).toBe(0)
      expect(await objectsOf(join(work, `busy-${i}`))).toEqual(await objectsOf(source))
    }
  })

  test('geometric progression', () => {
    const counts = (...numbers: number[]) =>
      geometricSplit(numbers.map((count) => ({ index: { count } }))).map((pack) => pack.index.count)
    expect(counts()).toEqual([])
    expect(counts(5)).toEqual([])
    expect(counts(1, 2, 4, 8)).toEqual([])
    expect(counts(8, 4, 2, 1)).toEqual([])
    expect(counts(1, 1, 4, 8)).toEqual([1, 1])
    expect(counts(100, 1, 1, 1)).toEqual([1, 1, 1])
    expect(counts(3, 3, 4, 100)).toEqual([3, 3, 4])
  })
})

describe('verify', () => {
  test('reports damaged, missing and changed objects', async () => {
    const made = await put(null, 'a', 'one\n'.repeat(100))
    expect(await host.git.verify('one', [made.commit])).toEqual([])
    expect((await host.git.verify('one', ['4'.repeat(40)]))[0]).toContain('a ref points at it')
    const directory = join(host.root, 'one', 'objects', 'pack')
    const path = join(directory, packs()[0]!)
    const bytes = Buffer.from(await Bun.file(path).bytes())
    bytes[20]! ^= 0xff
    await Bun.$`rm -f ${path}`.quiet()
    writeFileSync(path, bytes)
    const other = createGit({ root: host.root, tmp: join(work, 'other-tmp'), workers: 0 })
    const wrong = await other.verify('one', [made.commit])
    expect(wrong.some((line) => line.includes('does not match its checksum'))).toBe(true)
    expect(wrong.some((line) => line.includes('damaged'))).toBe(true)
    await other.close()
    // All other stores must pass git's checks at the end.
    await host.git.removeStore('one')
  })
})

describe('export', () => {
  test('writes a repository that git verifies, with this namespace alone', async () => {
    await git(source, 'push', '-q', '--mirror', host.remote('one'))
    const hidden = await put(null, 'x', 'another fork')
    const target = join(work, 'exported.git')
    await host.git.exportBare('one', await host.snapshot('one'), target)
    const fsck = await tryGit(target, ['fsck', '--strict'])
    expect([fsck.code, fsck.out]).toEqual([0, ''])
    await git(target, 'multi-pack-index', 'write')
    await git(target, 'multi-pack-index', 'verify')
    expect(await refsOf(target)).toEqual(await refsOf(source))
    expect(await objectsOf(target)).toEqual(await objectsOf(source))
    expect((await tryGit(target, ['cat-file', '-e', hidden.commit])).code).not.toBe(0)
    expect(await git(target, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
    expect(host.git.exportBare('one', await host.snapshot('one'), target)).rejects.toThrow(
      'not empty',
    )
  })
})

describe('start-up', () => {
  test('removes files of a crashed process and keeps complete packs', async () => {
    const made = await put(null, 'a', 'one\n')
    const directory = join(host.root, 'one', 'objects', 'pack')
    const whole = packs()[0]!.replace(/\.pack$/, '')
    writeFileSync(join(directory, `${whole}.pending`), '')
    writeFileSync(join(directory, `pack-${'1'.repeat(40)}.pack`), 'half')
    writeFileSync(join(directory, `pack-${'2'.repeat(40)}.idx`), 'half')
    const tmp = join(work, 'start-tmp')
    await Bun.write(join(tmp, 'git', 'incoming-x.pack'), 'half')
    const other = createGit({ root: host.root, tmp, workers: 0 })
    expect(readdirSync(directory).sort()).toEqual([`${whole}.idx`, `${whole}.pack`])
    expect(readdirSync(join(tmp, 'git'))).toEqual([])
    expect((await other.readCommit('one', made.commit))?.oid).toBe(made.commit)
    await other.close()
  })
})

describe('stores', () => {
  test('are created once, measured, and removed completely', async () => {
    await host.git.createStore('two')
    await host.git.createStore('two')
    expect(await host.git.sizeOf('two')).toBeGreaterThan(0)
    await host.git.removeStore('two')
    await host.git.removeStore('two')
    expect(existsSync(join(host.root, 'two'))).toBe(false)
    expect(host.git.readCommit('two', '1'.repeat(40))).rejects.toThrow(GitError)
  })

  test('have names that cannot leave the root', () => {
    for (const name of ['..', '.', '', 'a/b', '../x', 'a\0b', '.git'])
      expect(host.git.createStore(name)).rejects.toThrow('not a name')
  })
})

describe('without workers', () => {
  test('everything works on the calling thread', async () => {
    const alone = await startHost({ workers: 0 })
    await alone.create('one')
    await git(source, 'push', '-q', '--mirror', alone.remote('one'))
    const copy = join(work, 'alone')
    await git(work, 'clone', '-q', '--mirror', alone.remote('one'), copy)
    expect(await objectsOf(copy)).toEqual(await objectsOf(source))
    const tip = alone.refs.get('one')!.get('refs/heads/main')!
    expect((await alone.git.log('one', { tips: [tip], limit: 3 })).length).toBe(3)
    expect(await alone.git.countCommits('one', { tips: [tip] })).toBe(
      Number(await git(source, 'rev-list', '--count', 'main')),
    )
    await alone.close()
  })
})
