import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGit, type Oid } from '#git'
import { resolveSettings } from '../../../src/git/settings.ts'
import { collectGarbage } from '../../../src/git/tasks/collect-garbage.ts'
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
/** Runs maintenance a number of days after the start. */
const collect = (
  day: number,
  tips: readonly Oid[],
  more: { kept?: Oid[]; still?: () => Oid[] } = {},
) =>
  host.git.maintain('one', tips, {
    graceMs: GRACE,
    nowMs: START + day * DAY,
    ...(more.still && { readCurrentTips: more.still }),
    ...(more.kept && { retained: [more.kept] }),
  })
const has = async (oid: Oid) => (await host.git.readCommit('one', oid)) !== null

/** A clone with a pushed main branch, and a second branch with a large file. */
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

describe('unreachable objects', () => {
  test('move to a cruft pack and are removed two weeks later; objects of forks stay', async () => {
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
    // A run without garbage collection leaves it where it is.
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

  test('become reachable again with a new ref, and later start a new grace period', async () => {
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

  test('stay when the host keeps them without a ref; unknown ids are ignored', async () => {
    const { main, large } = await pushed('kept')
    for (const day of [0, 20, 40]) await collect(day, [main], { kept: [large, '7'.repeat(40)] })
    expect(await has(large)).toBe(true)
    expect(await host.git.verify('one', [main, large])).toEqual([])
    for (const day of [60, 80]) await collect(day, [main])
    expect(await has(large)).toBe(false)
  })

  test('stay while a younger object references them', async () => {
    const main = await put(null, 'a', 'one\n')
    const old = await put(main, 'b', 'two\n')
    await collect(0, [main])
    // By another process, because this one would lease its parents for a while.
    const beside = createGit({
      root: host.root,
      tmp: join(work, 'beside'),
      workers: 0,
      sharedRoot: true,
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

  test('have times that git reads', async () => {
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

describe('during maintenance', () => {
  test('a ref that returns keeps its objects', async () => {
    const { main, large } = await pushed('then')
    await collect(0, [main])
    let asked = 0
    // First there is none, then there is one.
    expect(
      await collect(20, [main], { still: () => (asked++ === 0 ? [main] : [main, large]) }),
    ).toMatchObject({ dropped: 0 })
    expect(asked).toBe(2)
    expect(await host.git.verify('one', [main, large])).toEqual([])
    expect((await collect(21, [main], { still: () => [main] })).dropped).toBe(3)
    expect(await has(large)).toBe(false)
  })

  test('a push on top of expiring objects is complete, and so are clones', async () => {
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

  test('a crash at any step loses no referenced object, and the next run continues', async () => {
    const { main } = await pushed('killed')
    await collect(0, [main])
    await put(main, 'other', 'other\n')
    const tips = Buffer.from(main, 'hex')
    let ended = false
    for (let steps = 1; !ended; steps++) {
      const root = join(work, `killed-${steps}`)
      cpSync(join(host.root, 'one'), join(root, 'one'), { recursive: true })
      const engine = new Engine({
        ...resolveSettings({ root, tmp: join(root, 'tmp') }).engine,
        root,
        tmp: root,
        arenaBytes: 1 << 20,
      })
      const task = collectGarbage(
        engine.store('one'),
        tips,
        GRACE,
        START + 20 * DAY,
        join(root, 'made'),
      )
      // Stops the task after this many steps, without cleanup.
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

  test('a store with missing objects is left unchanged', async () => {
    const { main } = await pushed('torn')
    const before = readdirSync(directory()).sort()
    await expect(collect(0, [main, '5'.repeat(40)])).rejects.toThrow('missing')
    expect(readdirSync(directory()).sort()).toEqual(before)
  })
})
