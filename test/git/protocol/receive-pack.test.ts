import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeHistory, objectsOf, refsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { commitText, idOf, makePack, treeBytes } from '../support/packs.ts'
import { rawPush } from '../support/raw.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

let host: TestHost
let work: string
let source: string
let number = 0
let name: string

beforeAll(async () => {
  work = scratch()
  source = await makeHistory(work, 'source', { seed: 5, commits: 40 })
  host = await startHost()
})

beforeEach(async () => {
  name = `push-${number++}`
  host.judge = () => null
  await host.create(name)
})

afterAll(async () => {
  await host.close()
  discard(work)
})

const packs = () => readdirSync(join(host.root, name, 'objects', 'pack')).sort()
const temporaries = () => readdirSync(join(host.root, '..', 'tmp', 'git'))

describe('what git pushes', () => {
  test('lands whole, in a store that git finds sound', async () => {
    await git(source, 'push', '-q', '--mirror', host.remote(name))
    expect(host.refs.get(name)).toEqual(await refsOf(source))
    expect(await host.git.verify(name, [...host.refs.get(name)!.values()])).toEqual([])
    const store = join(host.root, name)
    const fsck = await tryGit(work, ['--git-dir', store, 'fsck', '--strict', '--no-dangling'])
    expect([fsck.code, fsck.out]).toEqual([0, ''])
    const listed = await git(
      work,
      '--git-dir',
      store,
      'cat-file',
      '--batch-all-objects',
      '--batch-check=%(objectname)',
    )
    expect(listed.split('\n').sort()).toEqual(await objectsOf(source))
    expect(temporaries()).toEqual([])
    expect(packs().filter((file) => file.endsWith('.pending'))).toEqual([])
  })

  test('an index of ours is the index that git makes', async () => {
    await git(source, 'push', '-q', host.remote(name), 'main')
    const pack = packs().find((file) => file.endsWith('.pack'))!
    const path = join(host.root, name, 'objects', 'pack', pack)
    await git(work, 'index-pack', '-o', join(work, `${name}.idx`), path)
    const ours = await Bun.file(path.replace(/pack$/, 'idx')).bytes()
    const theirs = await Bun.file(join(work, `${name}.idx`)).bytes()
    expect(Buffer.compare(ours, theirs)).toBe(0)
  })

  test('a second push sends a thin pack, which is completed', async () => {
    const all = (await git(source, 'rev-list', '--first-parent', 'main')).split('\n')
    await git(source, 'push', '-q', host.remote(name), `${all[5]}:refs/heads/main`)
    const before = packs().length
    await git(source, 'push', '-q', '--thin', host.remote(name), 'main')
    expect(packs().length).toBe(before + 2)
    expect(await host.git.verify(name, [...host.refs.get(name)!.values()])).toEqual([])
    const copy = join(work, `${name}-copy`)
    await git(work, 'clone', '-q', '--bare', host.remote(name), copy)
    expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
  })

  test('a revert to old content is taken without the old objects', async () => {
    const tree = await git(source, 'rev-parse', 'main~12^{tree}')
    const revert = await git(source, 'commit-tree', tree, '-p', 'main', '-m', 'back')
    await git(source, 'push', '-q', host.remote(name), 'main')
    await git(source, 'push', '-q', host.remote(name), `${revert}:refs/heads/main`)
    // A sender that leaves out everything that the refs reach sends the commit alone.
    const raw = `${name}-raw`
    await host.create(raw)
    await git(source, 'push', '-q', host.remote(raw), 'main')
    const body = await git(source, 'cat-file', 'commit', revert)
    const answer = await rawPush(
      host,
      raw,
      [[await git(source, 'rev-parse', 'main'), revert, 'refs/heads/main']],
      makePack([{ type: 'commit', data: `${body}\n` }]),
    )
    expect([answer.unpack, answer.refs.get('refs/heads/main')]).toEqual(['ok', 'ok'])
  })

  test('deleting, and moving to what is there, need no pack', async () => {
    await git(source, 'push', '-q', host.remote(name), 'main', 'main:refs/heads/other')
    await git(source, 'push', '-q', host.remote(name), ':other', 'main~3:refs/heads/older')
    expect([...host.refs.get(name)!.keys()].sort()).toEqual(['refs/heads/main', 'refs/heads/older'])
  })

  test('push options and atomic reach the host', async () => {
    await git(
      source,
      'push',
      '-q',
      '--atomic',
      '-o',
      'one=1',
      '-o',
      'two',
      host.remote(name),
      'main',
    )
    expect(host.pushes.at(-1)).toMatchObject({
      atomic: true,
      options: ['one=1', 'two'],
      updates: [{ name: 'refs/heads/main', old: null }],
    })
    expect(host.pushes.at(-1)!.packBytes).toBeGreaterThan(100)
  })

  test('from a shallow clone', async () => {
    await git(source, 'push', '-q', host.remote(name), 'main')
    const copy = join(work, `${name}-shallow`)
    await git(work, 'clone', '-q', '--depth', '1', host.remote(name), copy)
    await Bun.write(join(copy, 'new file'), 'hello')
    await git(copy, 'add', '.')
    await git(copy, 'commit', '-qm', 'on top')
    await git(copy, 'push', '-q', 'origin', 'HEAD:main')
    expect(host.refs.get(name)!.get('refs/heads/main')).toBe(await git(copy, 'rev-parse', 'HEAD'))
    expect(await host.git.verify(name, [])).toEqual([])
  })
})

describe('what the host refuses', () => {
  test('is said to the person, and leaves nothing behind', async () => {
    host.judge = () => 'main is frozen until Monday'
    const ran = await tryGit(source, ['push', host.remote(name), 'main'])
    expect(ran.code).toBe(1)
    expect(ran.err).toContain('main is frozen until Monday')
    expect(packs()).toEqual([])
    expect(temporaries()).toEqual([])
    expect(await host.git.readCommit(name, await git(source, 'rev-parse', 'main'))).toBeNull()
  })

  test('in part keeps what was taken', async () => {
    host.judge = (update) => (update.name.endsWith('bad') ? 'no' : null)
    const ran = await tryGit(source, ['push', host.remote(name), 'main', 'side:bad'])
    expect(ran.code).toBe(1)
    expect(ran.err).toContain('(no)')
    expect([...host.refs.get(name)!.keys()]).toEqual(['refs/heads/main'])
    expect(packs().length).toBe(2)
  })

  test('in part refuses all of an atomic push', async () => {
    host.judge = (update) => (update.name.endsWith('bad') ? 'no' : null)
    const ran = await tryGit(source, ['push', '--atomic', host.remote(name), 'main', 'side:bad'])
    expect(ran.code).toBe(1)
    expect(host.refs.get(name)!.size).toBe(0)
    expect(packs()).toEqual([])
  })

  test('does not take away what a change on the site made meanwhile', async () => {
    await git(source, 'push', '-q', host.remote(name), 'main')
    const data = 'the same content in both\n'
    const blob = idOf('blob', data)
    const tree = treeBytes(['100644', 'x', blob])
    const commit = commitText(idOf('tree', tree))
    const who = { name: 'Eve', email: 'eve@example.org', time: 1_600_000_000, zone: '+0000' }
    const parent = await git(source, 'rev-parse', 'main')
    let made = ''
    host.judge = () => 'no'
    host.before = async () => {
      // The pushed blob can be read here already, and will be gone again.
      expect(await host.git.readBlob(name, blob)).not.toBeNull()
      const change = { action: 'put', path: 'y', data: Buffer.from(data) } as const
      made = (
        await host.git.commitFiles(name, {
          parent,
          changes: [change],
          message: 'y',
          author: who,
          committer: who,
        })
      ).commit
    }
    const pack = makePack([
      { type: 'blob', data },
      { type: 'tree', data: tree },
      { type: 'commit', data: commit },
    ])
    const answer = await rawPush(host, name, [[null, idOf('commit', commit), 'refs/heads/x']], pack)
    host.before = async () => {}
    expect(answer.refs.get('refs/heads/x')).toBe('no')
    expect(await host.git.readCommit(name, idOf('commit', commit))).toBeNull()
    expect(Buffer.from((await host.git.readBlob(name, blob))!.data).toString()).toBe(data)
    expect(await host.git.verify(name, [made])).toEqual([])
  })
})

describe('what the protocol refuses', () => {
  const blob = { type: 'blob', data: 'x' } as const
  const tree = treeBytes(['100644', 'a', idOf('blob', 'x')])
  const commit = commitText(idOf('tree', tree))
  const good = [
    blob,
    { type: 'tree', data: tree } as const,
    { type: 'commit', data: commit } as const,
  ]
  const tip = idOf('commit', commit)

  test('names that are no ref names', async () => {
    for (const ref of [
      'refs/heads/a..b',
      'refs/heads/x.lock',
      'HEAD',
      'refs/heads/a b',
      'refs/heads/',
      'heads/x',
      'refs/heads/.x',
      'refs/heads/a~1',
    ]) {
      const answer = await rawPush(host, name, [[null, tip, ref]], makePack(good))
      expect(answer.text).toContain('funny refname')
      expect(host.refs.get(name)!.size).toBe(0)
    }
    expect(packs()).toEqual([])
  })

  test('the same ref twice', async () => {
    const answer = await rawPush(
      host,
      name,
      [
        [null, tip, 'refs/heads/a'],
        [null, tip, 'refs/heads/a'],
      ],
      makePack(good),
    )
    expect(answer.text).toContain('multiple updates')
  })

  test('names that are not UTF-8, each with its own bytes in the report', async () => {
    const copy = join(work, `${name}-latin1`)
    await git(work, 'clone', '-q', '--mirror', source, copy)
    const input = Buffer.from(
      `create refs/heads/caf\xe9 ${await git(source, 'rev-parse', 'main')}\n`,
      'latin1',
    ) // prettier-ignore
    expect((await tryGit(copy, ['update-ref', '--stdin'], { input })).code).toBe(0)
    const ran = await tryGit(copy, ['push', '--mirror', host.remote(name)])
    expect(ran.code).toBe(1)
    expect(ran.err).toMatch(/! \[remote rejected\] caf.* \(the name is not UTF-8/)
    // Git finds its refs by the bytes that it sent, and none is renamed.
    expect(ran.err).not.toContain('unknown ref')
    expect(host.refs.get(name)).toEqual(await refsOf(source))
  })

  test('more push options than allowed, in a report', async () => {
    const options = Array.from({ length: 2000 }, (_, i) => ['-o', `option-${i}`]).flat()
    const ran = await tryGit(source, ['push', ...options, host.remote(name), 'main'])
    expect(ran.code).toBe(1)
    expect(ran.err).toContain('a push may have at most 1000 options')
    expect(ran.err).toMatch(/! \[remote rejected\] main -> main/)
    expect(host.refs.get(name)!.size).toBe(0)
  })

  test('a branch that is no commit, while a tag may be anything', async () => {
    const answer = await rawPush(
      host,
      name,
      [
        [null, idOf('tree', tree), 'refs/heads/a'],
        [null, idOf('blob', 'x'), 'refs/tags/blob'],
      ],
      makePack(good),
    )
    expect(answer.refs.get('refs/heads/a')).toBe('a branch must point at a commit')
    expect(answer.refs.get('refs/tags/blob')).toBe('ok')
  })

  test('a target that was not sent', async () => {
    const answer = await rawPush(
      host,
      name,
      [[null, '1'.repeat(40), 'refs/heads/a']],
      makePack(good),
    )
    expect(answer.refs.get('refs/heads/a')).toBe('missing necessary objects')
    expect(packs()).toEqual([])
  })

  test('more refs at once than an atomic push may move', async () => {
    const commands = (count: number) =>
      Array.from({ length: count }, (_, at) => [null, tip, `refs/tags/v${at}`] as const)
    const features = 'report-status atomic'
    const refused = await rawPush(host, name, commands(2_001), makePack(good), features)
    expect(refused.text).toContain(
      'an atomic push may move at most 2000 refs: push fewer, or without --atomic',
    )
    expect(host.refs.get(name)?.size ?? 0).toBe(0)
    expect(packs()).toEqual([])
    const most = await rawPush(host, name, commands(2_000), makePack(good), features)
    expect(new Set(most.refs.values())).toEqual(new Set(['ok']))
    const other = await rawPush(host, name, commands(2_001).slice(2_000), null)
    expect(other.refs.get('refs/tags/v2000')).toBe('ok')
  })

  test('another object format', async () => {
    const answer = await rawPush(
      host,
      name,
      [[null, tip, 'refs/heads/a']],
      makePack(good),
      'report-status object-format=sha256',
    )
    expect(answer.text).toContain('ERR')
    expect(existsSync(join(host.root, name))).toBe(true)
    expect(packs()).toEqual([])
  })

  test('without a side band the report comes bare', async () => {
    const answer = await rawPush(
      host,
      name,
      [[null, tip, 'refs/heads/a']],
      makePack(good),
      'report-status',
    )
    expect(answer.text).toBe(
      '000eunpack ok\n0014ok refs/heads/a\n0000'.replace(
        '0014',
        (4 + 'ok refs/heads/a\n'.length).toString(16).padStart(4, '0'),
      ),
    )
  })
})
