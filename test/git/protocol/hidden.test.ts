import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { pkt, FLUSH } from '../../../src/git/protocol/pkt-line.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { commitText, copyDelta, idOf, insertDelta, makePack, treeBytes } from '../support/packs.ts'
import { bandOf, dataLines, rawPush, rawV2 } from '../support/raw.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

/**
 * `shared` is the open repository, `shared@secret` a fork of it that the reader may not see. Both
 * share one store.
 */
let host: TestHost
let work: string
const secret: Record<'commit' | 'tree' | 'blob' | 'tag', string> = {
  commit: '',
  tree: '',
  blob: '',
  tag: '',
}
let open = ''

beforeAll(async () => {
  work = scratch()
  host = await startHost()
  await host.create('shared')
  host.refs.set('shared@secret', new Map())
  const repo = join(work, 'repo')
  await git(work, 'init', '-q', 'repo')
  for (let i = 0; i < 5; i++) {
    await Bun.write(join(repo, 'a.txt'), `open ${i}\n`.repeat(50))
    await git(repo, 'add', '.')
    await git(repo, 'commit', '-qm', `open ${i}`)
  }
  await git(repo, 'push', '-q', host.remote('shared'), 'HEAD:main')
  await git(repo, 'push', '-q', host.remote('shared@secret'), 'HEAD:main')
  open = await git(repo, 'rev-parse', 'HEAD')
  await Bun.write(join(repo, 'hidden/b.txt'), 'nobody may read this\n'.repeat(20))
  await git(repo, 'add', '.')
  await git(repo, 'commit', '-qm', 'hidden')
  await git(repo, 'tag', '-a', 'inner', '-m', 'hidden')
  await git(repo, 'push', '-q', host.remote('shared@secret'), 'HEAD:main', 'inner')
  secret.commit = await git(repo, 'rev-parse', 'HEAD')
  secret.tree = await git(repo, 'rev-parse', 'HEAD:hidden')
  secret.blob = await git(repo, 'rev-parse', 'HEAD:hidden/b.txt')
  secret.tag = await git(repo, 'rev-parse', 'inner')
})

afterAll(async () => {
  await host.close()
  discard(work)
})

const kinds = ['commit', 'tree', 'blob', 'tag'] as const

describe('what another fork sent', () => {
  test('is in the store and goes to those who may see it', async () => {
    for (const kind of kinds)
      expect(
        (await rawV2(host, 'shared@secret', 'fetch', [`want ${secret[kind]}`, 'done'])).includes(
          'PACK',
        ),
      ).toBe(true)
  })

  for (const kind of kinds) {
    test(`cannot be fetched by its id: a ${kind}`, async () => {
      for (const extra of [
        [],
        [`have ${open}`],
        [`have ${secret.commit}`],
        ['deepen 1'],
        ['filter blob:none'],
      ]) {
        const answer = await rawV2(host, 'shared', 'fetch', [
          `want ${secret[kind]}`,
          ...extra,
          'done',
        ])
        expect(dataLines(answer)[0]).toBe(`ERR upload-pack: not our ref ${secret[kind]}`)
        expect(answer.includes('PACK')).toBe(false)
      }
      const body = Buffer.concat([
        pkt(`want ${secret[kind]} side-band-64k ofs-delta\n`),
        FLUSH,
        pkt('done\n'),
      ])
      const old = await fetch(`${host.remote('shared')}/git-upload-pack`, { method: 'POST', body })
      expect(await old.text()).toContain(`ERR upload-pack: not our ref ${secret[kind]}`)
    })
  }

  test('is not told from what does not exist at all', async () => {
    const nothing = '7'.repeat(40)
    const said = async (args: (oid: string) => string[]) => {
      const [a, b] = await Promise.all(
        [secret.commit, nothing].map(async (oid) =>
          (await rawV2(host, 'shared', 'fetch', args(oid)))
            .toString('latin1')
            .replaceAll(oid, 'OID'),
        ),
      )
      expect(a).toBe(b!)
    }
    await said((oid) => [`want ${oid}`, 'done'])
    await said((oid) => [`want ${open}`, `have ${oid}`])
    const info = async (oid: string) =>
      dataLines(await rawV2(host, 'shared', 'object-info', ['size', `oid ${oid}`]))[1]!.slice(40)
    for (const kind of kinds) expect(await info(secret[kind])).toBe(await info(nothing))
  })

  test('does not come through a shallow boundary that names it', async () => {
    const answer = await rawV2(host, 'shared', 'fetch', [
      `want ${open}`,
      `shallow ${secret.commit}`,
      'deepen 2147483647',
      'done',
    ])
    expect(answer.toString('latin1')).not.toContain(`unshallow ${secret.commit}`)
    const pack = bandOf(answer, 1)
    const copy = join(work, 'boundary')
    await git(work, 'init', '-q', '--bare', copy)
    await tryGit(copy, ['unpack-objects', '-q'], { input: pack })
    expect((await tryGit(copy, ['cat-file', '-e', secret.commit])).code).not.toBe(0)
  })

  test('is not in a clone of the open repository, though the packs hold both', async () => {
    await host.git.maintain('shared', [open, secret.commit, secret.tag], { graceMs: 0 })
    const copy = join(work, 'clone')
    await git(work, 'clone', '-q', '--mirror', host.remote('shared'), copy)
    for (const kind of kinds)
      expect((await tryGit(copy, ['cat-file', '-e', secret[kind]])).code).not.toBe(0)
    expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
  })
})

describe('a push cannot lay hands on it', () => {
  const refused = async (pack: Buffer | null, oid: string, ref = 'refs/heads/steal') => {
    const answer = await rawPush(host, 'shared', [[null, oid, ref]], pack)
    expect(answer.refs.get(ref)).not.toBe('ok')
    expect(host.refs.get('shared')!.has(ref)).toBe(false)
  }

  test('by pointing a ref at it', async () => {
    for (const kind of kinds) await refused(null, secret[kind], 'refs/tags/steal')
    for (const kind of kinds) await refused(makePack([]), secret[kind], 'refs/tags/steal')
  })
  test('by a commit on top of it', async () => {
    const tree = treeBytes()
    const commit = commitText(idOf('tree', tree), [secret.commit])
    await refused(
      makePack([
        { type: 'tree', data: tree },
        { type: 'commit', data: commit },
      ]),
      idOf('commit', commit),
    )
  })
  test('by a tree or a commit that names it', async () => {
    const tree = treeBytes(['100644', 'stolen', secret.blob])
    const commit = commitText(idOf('tree', tree), [open])
    await refused(
      makePack([
        { type: 'tree', data: tree },
        { type: 'commit', data: commit },
      ]),
      idOf('commit', commit),
    )
    const direct = commitText(secret.tree, [open])
    await refused(makePack([{ type: 'commit', data: direct }]), idOf('commit', direct))
    const dir = treeBytes(['40000', 'stolen', secret.tree])
    const holder = commitText(idOf('tree', dir), [open])
    await refused(
      makePack([
        { type: 'tree', data: dir },
        { type: 'commit', data: holder },
      ]),
      idOf('commit', holder),
    )
  })
  test('by a tag that names it', async () => {
    for (const kind of kinds) {
      const tag = `object ${secret[kind]}\ntype ${kind}\ntag steal\ntagger A <a@b.c> 1600000000 +0000\n\nx\n`
      await refused(makePack([{ type: 'tag', data: tag }]), idOf('tag', tag), 'refs/tags/steal')
    }
  })
  test('by a delta on it', async () => {
    const size = 'nobody may read this\n'.length * 20
    const delta = copyDelta(size)
    const tree = treeBytes(['100644', 'stolen', secret.blob])
    const commit = commitText(idOf('tree', tree), [open])
    await refused(
      makePack([
        { base: secret.blob, delta },
        { type: 'tree', data: tree },
        { type: 'commit', data: commit },
      ]),
      idOf('commit', commit),
    )
    await refused(
      makePack([{ base: secret.blob, delta: insertDelta(size, 'x') }]),
      idOf('blob', 'x'),
      'refs/tags/steal',
    )
  })
})
