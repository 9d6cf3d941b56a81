import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGit, type Oid } from '#git'
import { settingsOf } from '../../../src/git/settings.ts'
import { collectTask } from '../../../src/git/tasks/collect.ts'
import { Engine } from '../../../src/git/tasks/engine.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { expectSound } from '../support/sound.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

const DAY = 86_400_000
const GRACE = 14 * DAY
const START = 1_800_000_000_000
const who = { name: 'Eve', email: 'eve@example.org', time: 1_600_000_000, zone: '+0000' }

let host: TestHost
let work: string

beforeAll(() => void (work = scratch()))
beforeEach(async () => {
  host = await startHost()
  await host.create('one')
})
afterEach(() => host.close())
afterAll(() => discard(work))

const directory = () => join(host.root, 'one', 'objects', 'pack')
const setApart = () => readdirSync(directory()).filter((name) => name.endsWith('.mtimes'))
const noise = (bytes: number) =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65536))))
    .toString('base64')
    .repeat(Math.ceil(bytes / 65536))
const put = async (parent: Oid | null, path: string, text: string): Promise<Oid> =>
  (
    await host.git.commitFiles('one', {
      parent,
      changes: [{ action: 'put', path, data: Buffer.from(text) }],
      message: path,
      author: who,
      committer: who,
    })
  ).commit
/** A round at so many days after the start. */
const collect = (
  day: number,
  tips: readonly Oid[],
  more: { kept?: Oid[]; still?: () => Oid[] } = {},
) =>
  host.git.maintain('one', tips, {
    graceMs: GRACE,
    nowMs: START + day * DAY,
    ...(more.still && { still: more.still }),
    ...(more.kept && { kept: [more.kept] }),
  })
const has = async (oid: Oid) => (await host.git.commit('one', oid)) !== null

/** A clone with a pushed trunk, and a second branch with a large file. */
async function pushed(name: string): Promise<{ clone: string; main: Oid; large: Oid }> {
  const clone = join(work, name)
  await git(work, 'init', '-q', clone)
  writeFileSync(join(clone, 'a'), 'one\n')
  await git(clone, 'add', '.')
  await git(clone, 'commit', '-qm', 'one')
  await git(clone, 'push', '-q', host.remote('one'), 'HEAD:refs/heads/main')
  await git(clone, 'checkout', '-qb', 'large')
  writeFileSync(join(clone, 'large'), noise(300_000))
  await git(clone, 'add', '.')
  await git(clone, 'commit', '-qm', 'large')
  await git(clone, 'push', '-q', host.remote('one'), 'HEAD:refs/heads/large')
  return {
    clone,
    main: await git(clone, 'rev-parse', 'main'),
    large: await git(clone, 'rev-parse', 'large'),
  }
}

describe('what nothing names', () => {
  test('is set apart, and gone two weeks later with its room on the disk; what forks name stays', async () => {
    const { clone, main, large } = await pushed('plain')
    await host.create('one@fork')
    const other = await put(main, 'fork', 'of a fork\n')
    host.refs.get('one@fork')!.set('refs/heads/main', other)
    await git(clone, 'push', '-q', host.remote('one'), ':refs/heads/large')
    const tips = () => [...host.refs.get('one')!.values(), ...host.refs.get('one@fork')!.values()]
    const before = await host.git.sizeOf('one')

    expect(await collect(0, tips())).toMatchObject({ dropped: 0 })
    expect(setApart()).toHaveLength(1)
    expect(await has(large)).toBe(true)
    expect(await collect(13, tips())).toMatchObject({ dropped: 0 })
    expect(await has(large)).toBe(true)
    // A round in between that only puts packs together leaves it where it is.
    for (let i = 0; i < 4; i++) await put(main, `x${i}`, 'x\n')
    await host.git.maintain('one', tips())
    expect(setApart()).toHaveLength(1)

    expect((await collect(15, tips())).dropped).toBe(3)
    expect(await has(large)).toBe(false)
    expect(await host.git.sizeOf('one')).toBeLessThan(before - 200_000)
    expect(await host.git.verify('one', tips())).toEqual([])
    const again = join(work, 'plain-again')
    await git(work, 'clone', '-q', host.remote('one@fork'), again)
    expect(await git(again, 'rev-parse', 'HEAD')).toBe(other)
  })

  test('comes back whole when something names it again, and its time begins anew', async () => {
    const { main, large } = await pushed('back')
    await collect(0, [main])
    expect(await collect(13, [main, large])).toMatchObject({ dropped: 0 })
    expect(setApart()).toEqual([])
    await collect(14, [main])
    await collect(27, [main])
    expect(await has(large)).toBe(true)
    expect((await collect(29, [main])).dropped).toBe(3)
    expect(await has(large)).toBe(false)
  })

  test('stays when the host keeps it without a ref; what the host names and was never here does no harm', async () => {
    const { main, large } = await pushed('kept')
    for (const day of [0, 20, 40]) await collect(day, [main], { kept: [large, '7'.repeat(40)] })
    expect(await has(large)).toBe(true)
    expect(await host.git.verify('one', [main, large])).toEqual([])
    for (const day of [60, 80]) await collect(day, [main])
    expect(await has(large)).toBe(false)
  })

  test('stays as long as something younger rests on it', async () => {
    const main = await put(null, 'a', 'one\n')
    const old = await put(main, 'b', 'two\n')
    await collect(0, [main])
    // By another process: this one would hold for a while what it builds on.
    const beside = createGit({
      root: host.root,
      tmp: join(work, 'beside'),
      workers: 0,
      beside: true,
    })
    const young = (
      await beside.commitFiles('one', {
        parent: old,
        changes: [{ action: 'put', path: 'c', data: Buffer.from('three\n') }],
        message: 'c',
        author: who,
        committer: who,
      })
    ).commit
    await beside.close()
    await collect(10, [main])
    expect(await collect(20, [main])).toMatchObject({ dropped: 0 })
    expect(await host.git.verify('one', [main, young, old])).toEqual([])
    expect((await collect(30, [main])).dropped).toBe(6)
    expect([await has(old), await has(young), await has(main)]).toEqual([false, false, true])
  })

  test('git reads the times that are written with it', async () => {
    const { main, large } = await pushed('times')
    await collect(0, [main])
    const seconds = START / 1000
    for (const [at, there] of [
      [seconds - 1, true],
      [seconds + 1, false],
    ] as const) {
      const copy = join(work, `times-${there}`)
      cpSync(join(host.root, 'one'), copy, { recursive: true })
      await git(copy, '--git-dir', copy, 'update-ref', 'refs/heads/main', main)
      const ran = await tryGit(copy, [
        '--git-dir',
        copy,
        'repack',
        '-q',
        '-d',
        '--cruft',
        `--cruft-expiration=@${at}`,
      ])
      expect([ran.code, ran.err]).toEqual([0, ''])
      expect((await tryGit(copy, ['--git-dir', copy, 'cat-file', '-e', large])).code === 0).toBe(
        there,
      )
    }
  })
})

describe('meanwhile', () => {
  test('a ref that comes back just then keeps what it names', async () => {
    const { main, large } = await pushed('then')
    await collect(0, [main])
    let asked = 0
    // At the beginning there is none, at the end there is.
    expect(
      await collect(20, [main], { still: () => (asked++ === 0 ? [main] : [main, large]) }),
    ).toMatchObject({ dropped: 0 })
    expect(asked).toBe(2)
    expect(await host.git.verify('one', [main, large])).toEqual([])
    expect((await collect(21, [main], { still: () => [main] })).dropped).toBe(3)
    expect(await has(large)).toBe(false)
  })

  test('a push on top of what is just going is whole, and clones are', async () => {
    const { clone, main, large } = await pushed('push')
    await git(clone, 'push', '-q', host.remote('one'), ':refs/heads/large')
    await collect(0, [main])
    writeFileSync(join(clone, 'more'), 'on top\n')
    await git(clone, 'add', '.')
    await git(clone, 'commit', '-qm', 'on top')
    const dropped: number[] = []
    host.before = async () => void dropped.push((await collect(20, [main])).dropped)
    await git(clone, 'push', '-q', host.remote('one'), 'HEAD:refs/heads/again')
    host.before = async () => {}
    const tip = host.refs.get('one')!.get('refs/heads/again') ?? ''
    expect(await git(clone, 'rev-parse', 'HEAD')).toBe(tip)
    expect(dropped).toEqual([3])
    expect(await host.git.verify('one', [main, tip])).toEqual([])
    expect(await has(large)).toBe(true)

    const clones = Array.from({ length: 3 }, (_, i) =>
      tryGit(work, ['clone', '-q', '--mirror', host.remote('one'), join(work, `busy-${i}`)]),
    )
    await host.git.maintain('one', [main, tip], { graceMs: 0 })
    for (const { code, err } of await Promise.all(clones)) expect([code, err]).toEqual([0, ''])
  })

  test('an end at any moment loses nothing that is named, and the next round goes on', async () => {
    const { main } = await pushed('killed')
    await collect(0, [main])
    await put(main, 'other', 'other\n')
    const tips = Buffer.from(main, 'hex')
    let ended = false
    for (let steps = 1; !ended; steps++) {
      const root = join(work, `killed-${steps}`)
      cpSync(join(host.root, 'one'), join(root, 'one'), { recursive: true })
      const engine = new Engine({
        ...settingsOf({ root, tmp: join(root, 'tmp') }),
        root,
        tmp: root,
        arenaBytes: 1 << 20,
      })
      const task = collectTask(engine, 'one', tips, GRACE, START + 20 * DAY, join(root, 'made'))
      // As far as it comes in so many steps, and then no more: nothing is tidied up.
      for (let step = 0; step < steps && !ended; step++) ended = task.next().done === true
      engine.close()
      for (const name of readdirSync(root)) if (name !== 'one') discard(join(root, name))
      const next = createGit({ root, tmp: join(work, `killed-tmp-${steps}`), workers: 0 })
      expect(await next.verify('one', [main])).toEqual([])
      await next.maintain('one', [main], { graceMs: GRACE, nowMs: START + 20 * DAY })
      const { packs } = await next.maintain('one', [main], {
        graceMs: GRACE,
        nowMs: START + 40 * DAY,
      })
      expect(packs).toBe(1)
      expect(await next.verify('one', [main])).toEqual([])
      await next.close()
      await expectSound(root, ['one'])
    }
  })

  test('a store that is not whole is left as it is', async () => {
    const { main } = await pushed('torn')
    const before = readdirSync(directory()).sort()
    await expect(collect(0, [main, '5'.repeat(40)])).rejects.toThrow('missing')
    expect(readdirSync(directory()).sort()).toEqual(before)
  })
})
