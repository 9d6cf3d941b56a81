import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bitWords, countBits, getBit, listBits, setBit } from '../../../src/git/bitmap/bits.ts'
import { decodeEwah, encodeEwah, ewahSize, maxEwahBytes } from '../../../src/git/bitmap/ewah.ts'
import { makeHistory, objectsOf, random, refsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'
import { rawV2 } from '../support/raw.ts'

function encode(bits: Uint32Array, count: number): Uint8Array {
  const out = new Uint8Array(maxEwahBytes(count))
  return out.subarray(0, encodeEwah(bits, count, out))
}

describe('EWAH bitmaps', () => {
  test('are decoded to the encoded set, with runs of any length', () => {
    const next = random(11)
    for (const count of [1, 63, 64, 65, 1000, 5000]) {
      for (const density of [0, 0.001, 0.5, 0.999, 1]) {
        const bits = new Uint32Array(bitWords(count))
        const members: number[] = []
        for (let i = 0; i < count; i++) {
          const run = Math.floor(i / 300) % 3
          if (run === 1 || (run === 2 && next() < density)) {
            setBit(bits, i)
            members.push(i)
          }
        }
        const bytes = encode(bits, count)
        expect(ewahSize(bytes, 0)).toBe(bytes.length)
        const out = new Uint32Array(bits.length)
        decodeEwah(bytes, 0, out)
        expect(out).toEqual(bits)
        expect([...listBits(out)]).toEqual(members)
        expect(countBits(out)).toBe(members.length)
        expect(getBit(out, count - 1)).toBe(members.at(-1) === count - 1)
      }
    }
  })

  test('with a false size are rejected', () => {
    const bits = new Uint32Array(bitWords(1000)).fill(0x55555555)
    const bytes = encode(bits, 1000)
    expect(() => ewahSize(bytes.subarray(0, bytes.length - 1), 0)).toThrow()
    expect(() => decodeEwah(bytes, 0, new Uint32Array(4))).toThrow()
  })
})

describe('a store with bitmaps', () => {
  let host: TestHost
  let work: string
  let source: string
  let all: string[]

  beforeAll(async () => {
    work = scratch()
    source = await makeHistory(work, 'source', { seed: 41, commits: 500, files: 60 })
    host = await startHost()
    await host.create('one')
    host.refs.set('one@fork', new Map())
    all = (await git(source, 'rev-list', '--first-parent', 'main')).split('\n')
    await git(source, 'push', '-q', host.remote('one'), `${all[40]}:refs/heads/main`, '--tags')
    await host.git.maintain('one', [...host.refs.get('one')!.values()], { graceMs: 0 })
    // Later pushes are in packs of their own, without bitmaps.
    await git(source, 'push', '-q', host.remote('one'), `${all[20]}:refs/heads/main`)
    await git(source, 'push', '-q', host.remote('one'), 'main', 'side')
    await git(source, 'push', '-q', host.remote('one@fork'), `${all[60]}:refs/heads/main`)
  })

  afterAll(async () => {
    await host.close()
    discard(work)
  })

  test('has bitmaps that git verifies', async () => {
    const store = join(host.root, 'one')
    const bitmap = readdirSync(join(store, 'objects', 'pack')).find((name) =>
      name.endsWith('.bitmap'),
    )!
    expect(bitmap).toBeDefined()
    const checked = join(work, 'checked')
    await git(work, 'init', '-q', '--bare', checked)
    for (const ending of ['pack', 'idx', 'bitmap']) {
      await Bun.write(
        join(checked, 'objects', 'pack', bitmap.replace('bitmap', ending)),
        Bun.file(join(store, 'objects', 'pack', bitmap.replace('bitmap', ending))),
      )
    }
    await git(checked, 'update-ref', 'refs/heads/main', all[40]!)
    const ran = await tryGit(checked, ['rev-list', '--test-bitmap', 'main'])
    expect([ran.code, ran.err.includes('OK!')]).toEqual([0, true])
    expect(
      await git(checked, 'rev-list', '--use-bitmap-index', '--objects', '--count', all[40]!),
    ).toBe(await git(source, 'rev-list', '--objects', '--count', all[40]!))
    expect((await tryGit(checked, ['fsck', '--strict'])).code).toBe(0)
  })

  test('clones exactly the objects that the refs reach', async () => {
    for (const [name, remote] of [
      ['whole', 'one'],
      ['fork', 'one@fork'],
    ] as const) {
      const copy = join(work, name)
      await git(work, 'clone', '-q', '--mirror', host.remote(remote), copy)
      const have = await git(copy, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)')
      expect(have.split('\n').sort()).toEqual(await objectsOf(copy))
      expect(await refsOf(copy)).toEqual(host.refs.get(remote)!)
      expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
    }
  })

  test('sends the same objects as git in partial clones', async () => {
    await git(source, 'config', 'uploadpack.allowFilter', 'true')
    await git(source, 'update-ref', '-d', 'refs/heads/other')
    for (const filter of ['blob:none', 'tree:0', 'blob:limit=500', 'tree:2']) {
      const name = filter.replace(/\W/g, '-')
      const held = async (remote: string, copy: string) => {
        await git(work, 'clone', '-q', '--bare', `--filter=${filter}`, remote, copy)
        return (
          await git(
            join(work, copy),
            'cat-file',
            '--batch-all-objects',
            '--batch-check=%(objectname)',
            '--unordered',
          )
        )
          .split('\n')
          .sort()
      }
      expect(await held(host.remote('one'), `ours-${name}`)).toEqual(
        await held(`file://${source}`, `theirs-${name}`),
      )
    }
  })

  test('sends small packs for small fetches', async () => {
    const copy = join(work, 'small')
    await git(work, 'init', '-q', '--bare', copy)
    await git(copy, 'fetch', '-q', source, `${all[60]}:refs/heads/main`)
    await git(copy, 'fetch', '-q', '--no-tags', host.remote('one'), 'main:refs/heads/new')
    expect((await tryGit(copy, ['fsck', '--strict'])).code).toBe(0)
    const args = [
      `want ${all[0]}`,
      `have ${all[60]}`,
      'thin-pack',
      'ofs-delta',
      'no-progress',
      'done',
    ]
    const ours = await rawV2(host, 'one', 'fetch', args)
    const plain = await rawV2(
      host,
      'one',
      'fetch',
      args.filter((arg) => arg !== 'thin-pack'),
    )
    expect(ours.length).toBeLessThan(plain.length)
  })

  test('ignores a damaged bitmap', async () => {
    const directory = join(host.root, 'one', 'objects', 'pack')
    const path = join(directory, readdirSync(directory).find((name) => name.endsWith('.bitmap'))!)
    const bytes = Buffer.from(await Bun.file(path).bytes())
    bytes[bytes.length >> 1]! ^= 0xff
    await Bun.$`rm -f ${path}`.quiet()
    await Bun.write(path, bytes)
    await host.git.close()
    const { createGit } = await import('#git')
    const other = createGit({ root: host.root, tmp: join(work, 'tmp'), workers: 0 })
    const snapshot = {
      generation: 'x',
      head: 'refs/heads/main',
      refs: [{ name: 'refs/heads/main', oid: all[0]!, peeled: null }],
    }
    expect(await other.verify('one', [])).toEqual([
      expect.stringContaining('the bitmap is damaged'),
    ])
    await other.exportBare('one', snapshot, join(work, 'exported'))
    expect(await objectsOf(join(work, 'exported'))).toEqual(
      (await git(source, 'rev-list', '--objects', '--no-object-names', 'main')).split('\n').sort(),
    )
    await other.close()
  })
})
