import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { makeHistory, objectsOf, random, refsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'
import { bandOf, dataLines, rawV2 } from '../support/raw.ts'

let host: TestHost
let work: string
let source: string

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 7, commits: 80 })
  host = await startHost()
  await host.create('one')
  await git(source, 'push', '-q', '--mirror', host.remote('one'))
})

afterAll(async () => {
  await host.close()
  discard(work)
})

describe('clone', () => {
  for (const version of ['0', '1', '2']) {
    test(`over protocol ${version} brings exactly what the refs reach`, async () => {
      const copy = join(work, `clone-${version}`)
      await git(
        work,
        '-c',
        `protocol.version=${version}`,
        'clone',
        '-q',
        '--mirror',
        host.remote('one'),
        copy,
      )
      expect(await refsOf(copy)).toEqual(await refsOf(source))
      expect(await objectsOf(copy)).toEqual(await objectsOf(source))
      expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
      const counted = await git(copy, 'count-objects', '-v')
      expect(counted).toContain(`in-pack: ${(await objectsOf(source)).length}\n`)
    })
  }

  test('checks out the branch that HEAD names', async () => {
    const copy = join(work, 'clone-tree')
    await git(work, 'clone', '-q', host.remote('one'), copy)
    expect(await git(copy, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
    expect(await git(copy, 'status', '--porcelain')).toBe('')
    expect(await git(copy, 'rev-parse', 'HEAD')).toBe(await git(source, 'rev-parse', 'main'))
  })

  test('an empty repository says which branch will be the first', async () => {
    await host.create('empty')
    const copy = join(work, 'clone-empty')
    await git(work, '-c', 'init.defaultBranch=other', 'clone', '-q', host.remote('empty'), copy)
    expect(await git(copy, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main')
  })

  test('a tag of a tag comes whole with a branch, though no ref names the inner one', async () => {
    const nested = await makeHistory(work, 'nested', {
      seed: 8,
      commits: 5,
      tags: false,
      merges: false,
    })
    await git(nested, 'tag', '-a', '-m', 'inner', 'inner', 'main')
    await git(nested, 'tag', '-a', '-m', 'outer', 'outer', 'inner')
    await git(nested, 'tag', '-d', 'inner')
    await host.create('nested')
    await git(nested, 'push', '-q', '--mirror', host.remote('nested'))
    for (const version of ['0', '2']) {
      const copy = join(work, `clone-nested-${version}`)
      await git(
        work,
        '-c',
        `protocol.version=${version}`,
        'clone',
        '-q',
        '--bare',
        '--single-branch',
        '--depth=2',
        host.remote('nested'),
        copy,
      )
      const tags = (
        await git(copy, 'cat-file', '--batch-all-objects', '--batch-check=%(objecttype)')
      )
        .split('\n')
        .filter((type) => type === 'tag')
      expect(tags.length).toBe(2)
    }
  })

  test('one branch comes with the tags that point into it', async () => {
    const copy = join(work, 'clone-single')
    await git(
      work,
      'clone',
      '-q',
      '--bare',
      '--single-branch',
      '--branch',
      'main',
      host.remote('one'),
      copy,
    )
    const got = await refsOf(copy)
    expect([...got.keys()].filter((name) => name.startsWith('refs/heads/'))).toEqual([
      'refs/heads/main',
    ])
    expect([...got.keys()].some((name) => name.startsWith('refs/tags/'))).toBe(true)
    expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
  })
})

describe('fetch', () => {
  for (const version of ['0', '2']) {
    test(`over protocol ${version} brings only what is new`, async () => {
      const name = `fetch-${version}`
      await host.create(name)
      const all = (await git(source, 'rev-list', '--first-parent', 'main')).split('\n')
      await git(source, 'push', '-q', host.remote(name), `${all[10]}:refs/heads/main`)
      const copy = join(work, name)
      await git(
        work,
        '-c',
        `protocol.version=${version}`,
        'clone',
        '-q',
        '--bare',
        host.remote(name),
        copy,
      )
      const before = await objectsOf(copy)
      await git(source, 'push', '-q', host.remote(name), 'main')
      const ran = await tryGit(copy, [
        '-c',
        `protocol.version=${version}`,
        'fetch',
        '--progress',
        'origin',
        'main:main',
      ])
      expect(ran.code).toBe(0)
      expect(ran.err).toMatch(/remote: Enumerating objects: \d+, done\./)
      const missing = (
        await git(source, 'rev-list', '--objects', '--no-object-names', 'main', `^${all[10]}`)
      ).split('\n').length
      const sent = Number(/remote: Total (\d+) objects/.exec(ran.err)?.[1])
      expect(sent).toBeLessThanOrEqual(missing + 5)
      expect((await objectsOf(copy)).length).toBe(before.length + missing)
      expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
      const again = await tryGit(copy, [
        '-c',
        `protocol.version=${version}`,
        'fetch',
        '--progress',
        'origin',
        'main',
      ])
      expect(again.code).toBe(0)
      expect(again.err).not.toContain('remote:')
    })
  }

  test('between any two states of a history is whole, and not much more than git sends', async () => {
    const busy = await makeHistory(work, 'busy', { seed: 1234, commits: 260, files: 25 })
    await host.create('busy')
    await git(busy, 'push', '-q', '--mirror', host.remote('busy'))
    const all = (await git(busy, 'rev-list', '--all')).split('\n')
    const next = random(55)
    for (let i = 0; i < 12; i++) {
      if (i === 6)
        await host.git.maintain('busy', [...host.refs.get('busy')!.values()], { graceMs: 0 })
      const [have, want] = [all[Math.floor(next() * all.length)]!, all[Math.floor(next() * 40)]!]
      const copy = join(work, `pair-${i}`)
      await git(work, 'init', '-q', '--bare', copy)
      await git(copy, 'fetch', '-q', '--no-tags', busy, `${have}:refs/heads/have`)
      await git(copy, 'fetch', '-q', '--no-tags', host.remote('busy'), `${want}:refs/heads/want`)
      expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
      expect(await git(copy, 'rev-parse', 'want')).toBe(want)
      const needed = Number(await git(busy, 'rev-list', '--objects', '--count', want, `^${have}`))
      const args = ['pack-objects', '--revs', '--thin', '--stdout', '--delta-base-offset', '-q']
      const theirs = Bun.spawnSync(['git', ...args], {
        cwd: busy,
        stdin: Buffer.from(`${want}\n^${have}\n`),
      }).stdout.length
      const answer = bandOf(
        await rawV2(host, 'busy', 'fetch', [
          `want ${want}`,
          `have ${have}`,
          'thin-pack',
          'ofs-delta',
          'done',
        ]),
        1,
      )
      expect(answer.readUInt32BE(8)).toBeLessThanOrEqual(needed + 8)
      expect(answer.length).toBeLessThan(theirs * 2 + 4096)
    }
  }, 120_000)

  test('a commit by its id is given when a ref reaches it', async () => {
    const old = (await git(source, 'rev-list', 'main')).split('\n')[20]!
    const copy = join(work, 'by-id')
    await git(work, 'init', '-q', '--bare', copy)
    await git(copy, 'fetch', '-q', host.remote('one'), old)
    expect(await git(copy, 'rev-parse', 'FETCH_HEAD')).toBe(old)
    const zero = join(work, 'by-id-0')
    await git(work, 'init', '-q', '--bare', zero)
    await git(zero, '-c', 'protocol.version=0', 'fetch', '-q', host.remote('one'), old)
    expect(await git(zero, 'rev-parse', 'FETCH_HEAD')).toBe(old)
  })

  test('a repository with unrelated history gets everything', async () => {
    const other = await makeHistory(work, 'other', { seed: 99, commits: 20 })
    await git(other, 'fetch', '-q', host.remote('one'), 'refs/heads/*:refs/remotes/one/*')
    expect((await tryGit(other, ['fsck', '--strict'])).code).toBe(0)
    expect(await git(other, 'rev-parse', 'refs/remotes/one/main')).toBe(
      await git(source, 'rev-parse', 'main'),
    )
  })
})

describe('ls-refs', () => {
  test('lists what git lists, with peeled tags', async () => {
    const ours = await git(work, 'ls-remote', host.remote('one'))
    const theirs = await git(work, 'ls-remote', source)
    expect(ours).toBe(theirs)
    expect(ours).toContain('^{}')
  })

  test('an unknown command or argument is an error that names it', async () => {
    expect(dataLines(await rawV2(host, 'one', 'bake', []))[0]).toContain(
      "ERR invalid command 'bake'",
    )
    expect(dataLines(await rawV2(host, 'one', 'ls-refs', ['sugar']))[0]).toContain(
      "ERR unexpected line: 'sugar'",
    )
  })

  test('the probe with a lone flush is answered with nothing', async () => {
    for (const service of ['git-upload-pack', 'git-receive-pack']) {
      const response = await fetch(`${host.remote('one')}/${service}`, {
        method: 'POST',
        body: '0000',
      })
      expect([response.status, await response.text()]).toEqual([200, ''])
    }
  })
})

test('object-info gives the sizes that git gives', async () => {
  const blob = await git(source, 'rev-parse', 'main:docs/file 1.txt').catch(
    async () => (await objectsOf(source))[0]!,
  )
  const commit = await git(source, 'rev-parse', 'main')
  const lines = dataLines(
    await rawV2(host, 'one', 'object-info', [
      'size',
      `oid ${blob}`,
      `oid ${commit}`,
      `oid ${'1'.repeat(40)}`,
    ]),
  )
  expect(lines).toEqual([
    'size',
    `${blob} ${await git(source, 'cat-file', '-s', blob)}`,
    `${commit} ${await git(source, 'cat-file', '-s', commit)}`,
    `${'1'.repeat(40)} `,
  ])
})
