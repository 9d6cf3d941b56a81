import { afterEach, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyLog, holdSnapshot, openDatabase, Writer } from '#core/db.ts'
import { Replication } from '#core/replication.ts'
import { silentLog } from '#lib/log.ts'
import { systemClock, type Clock } from '#lib/time.ts'
import { openChannel, type Message } from '#src/standby/channel.ts'
import { Follower, TakeOverRefusal } from '#src/standby/follower.ts'
import { createPairKey, pairKeyPath, readPairKey } from '#src/standby/pair-key.ts'
import { greet } from '#src/standby/peer.ts'
import { Primary } from '#src/standby/primary.ts'
import { readRole } from '#src/standby/role.ts'
import { freePort } from '../../scripts/support/ports.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

type Options = { acknowledge?: 'local' | 'standby'; lease_ms?: number | null; clock?: Clock }

/** A serving side with one table, in a data directory. */
async function makePrimary(data: string, port: number, options: Options = {}) {
  const path = join(data, 'hearth.db')
  const db = openDatabase({ path })
  db.exec('CREATE TABLE IF NOT EXISTS notes (text TEXT) STRICT')
  const writer = new Writer(db)
  const replication = new Replication()
  let fences = 0
  const primary = new Primary({
    data,
    database: path,
    pageSize: 8192,
    listen: { host: '127.0.0.1', port },
    peer: null,
    acknowledge: 'local',
    lease_ms: null,
    clock: systemClock,
    ...options,
    pair: readPairKey(data),
    log: silentLog,
    readVersion: () => db.one<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0,
    hold: () => holdSnapshot(path),
    poke: () => void writer.write(() => null).catch(() => {}),
    onFenced: () => void fences++,
  })
  writer.observer = primary
  await primary.start(replication)
  const close = async (): Promise<void> => {
    await writer.close()
    await primary.close()
    db.close()
  }
  return {
    primary,
    replication,
    close,
    fences: () => fences,
    add: (text: string) => writer.write(() => db.run('INSERT INTO notes VALUES (?)', text)),
  }
}

function makeDirectories() {
  const root = mkdtempSync(join(tmpdir(), 'hearth-pair-'))
  closers.push(() => rmSync(root, { recursive: true, force: true }))
  const [first, second] = [join(root, 'first'), join(root, 'second')]
  for (const data of [first, second]) mkdirSync(join(data, 'secrets'), { recursive: true })
  createPairKey(first, systemClock)
  copyFileSync(pairKeyPath(first), pairKeyPath(second))
  return { first, second, port: freePort(), otherPort: freePort() }
}

function makeFollower({ second, port, otherPort }: ReturnType<typeof makeDirectories>): Follower {
  return new Follower({
    data: second,
    primary: { host: '127.0.0.1', port },
    listen: { host: '127.0.0.1', port: otherPort },
    pair: readPairKey(second),
    clock: systemClock,
    log: silentLog,
    emptyLog,
  })
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await Bun.sleep(5)
}

const notesOf = (data: string): string[] => {
  const db = openDatabase({ path: join(data, 'hearth.db') })
  try {
    return db.all<{ text: string }>('SELECT text FROM notes').map(({ text }) => text)
  } finally {
    db.close()
  }
}

test('a standby has every commit and file, takes over, and the first is fenced for good', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.port)
  await one.add('before')
  mkdirSync(join(pair.first, 'blobs', 'ab'), { recursive: true })
  writeFileSync(join(pair.first, 'blobs', 'ab', 'old'), 'old file')
  const follower = makeFollower(pair)
  await follower.start()
  await until(() => one.primary.status().is_complete)
  writeFileSync(join(pair.first, 'blobs', 'ab', 'new'), 'new file')
  one.replication.note('blobs/ab/new')
  for (let at = 0; at < 20; at++) await one.add(`note ${at}`)

  const lines: string[] = []
  const role = await follower.takeOver(false, (line) => lines.push(line))
  expect(role).toMatchObject({ role: 'primary', term: 2 })
  expect(lines.join()).toContain('handed over everything')
  expect(notesOf(pair.second)).toEqual([
    'before',
    ...Array.from({ length: 20 }, (_, at) => `note ${at}`),
  ])
  for (const name of ['old', 'new'])
    expect(readFileSync(join(pair.second, 'blobs', 'ab', name), 'utf8')).toBe(`${name} file`)

  expect(one.fences()).toBe(1)
  await expect(one.add('too late')).rejects.toThrow('has taken over')
  await one.close()
  const again = await makePrimary(pair.first, pair.port)
  closers.push(again.close)
  await expect(again.add('after a restart')).rejects.toThrow('has taken over')
  expect(notesOf(pair.second)).not.toContain('too late')
})

test('with a standby that confirms, nothing is acknowledged while it is away', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.port, { acknowledge: 'standby' })
  closers.push(one.close)
  // No standby has been there yet.
  await one.add('first')
  const follower = makeFollower(pair)
  await follower.start()
  await until(() => one.primary.status().is_complete)
  await one.add('confirmed')
  expect(one.primary.status().lag_commits).toBe(0)
  await follower.stop()
  await until(() => one.primary.status().standby === null)
  await expect(one.add('alone')).rejects.toThrow('must confirm each change')
  expect(notesOf(pair.second)).toEqual(['first', 'confirmed'])
})

test('a standby goes on where it was after a moment away', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.port)
  closers.push(one.close)
  const follower = makeFollower(pair)
  await follower.start()
  await until(() => one.primary.status().is_complete)
  await one.add('here')
  await until(() => one.primary.status().lag_commits === 0)
  await follower.stop()
  await until(() => one.primary.status().standby === null)
  for (let at = 0; at < 5; at++) await one.add(`away ${at}`)
  expect(one.primary.status().lag_commits).toBe(5)
  const back = makeFollower(pair)
  closers.push(() => back.stop())
  await back.start()
  await until(() => one.primary.status().is_complete && one.primary.status().lag_commits === 0)
  await back.stop()
  expect(notesOf(pair.second)).toEqual([
    'here',
    ...Array.from({ length: 5 }, (_, at) => `away ${at}`),
  ])
})

test('without a lease, a primary that does not answer must be switched off by a person', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.port)
  const follower = makeFollower(pair)
  await follower.start()
  await until(() => one.primary.status().is_complete)
  await one.close()
  await until(() => !follower.status().is_connected)
  await expect(follower.takeOver(false, () => {})).rejects.toThrow(TakeOverRefusal)
  expect(readRole(pair.second)).toMatchObject({ role: 'standby', term: 1 })
  expect(await follower.takeOver(true, () => {})).toMatchObject({ role: 'primary', term: 2 })
  // The first comes back later and is told.
  const two = await makePrimary(pair.second, pair.otherPort)
  closers.push(two.close)
  const later = await makePrimary(pair.first, pair.port)
  closers.push(later.close)
  expect(readRole(pair.first)).toMatchObject({ role: 'fenced', term: 2 })
  await expect(later.add('late')).rejects.toThrow('has taken over')
})

test('a primary with a lease changes nothing once the standby is silent', async () => {
  const pair = makeDirectories()
  let passedMs = 0
  const clock = { now: () => systemClock.now() + passedMs }
  const one = await makePrimary(pair.first, pair.port, { lease_ms: 60_000, clock })
  closers.push(one.close)
  const follower = makeFollower(pair)
  await follower.start()
  await until(() => one.primary.status().is_complete)
  await one.add('while it answers')
  await follower.stop()
  await until(() => one.primary.status().standby === null)
  passedMs = 60_000
  expect(one.primary.status().lease_left_ms).toBe(0)
  await expect(one.add('without it')).rejects.toThrow('may have taken over')
})

test('a standby that never had everything does not take over', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.port)
  await one.add('everything')
  await one.close()
  const follower = makeFollower(pair)
  await follower.start()
  await until(() => follower.status().silent_ms > 20)
  await expect(follower.takeOver(false, () => {})).rejects.toThrow('never had everything')
  await follower.stop()
  expect(existsSync(join(pair.second, 'hearth.db'))).toBe(false)
})

/** A standby that receives everything, and confirms only what a test tells it to. */
async function connectReceiver({ second, port, otherPort }: ReturnType<typeof makeDirectories>) {
  const channel = await openChannel({ host: '127.0.0.1', port }, readPairKey(second))
  closers.push(() => channel.close())
  const copied = Promise.withResolvers<number>()
  const commits = Promise.withResolvers<number>()
  const answer = async ({ type, id, commit, last }: Message): Promise<void> => {
    if (type === 'files') await channel.send({ type: 'differences', id, differences: [] })
    else if (type === 'hashes') await channel.send({ type: 'blocks', id, blocks: [] })
    else if (type === 'mark') await channel.send({ type: 'marked', id })
    else if (type === 'base_end') copied.resolve(Number(commit))
    else if (type === 'commits') commits.resolve(Number(last))
  }
  const receive = async (): Promise<void> => {
    for (;;) await answer((await channel.receive()).message)
  }
  receive().catch(() => {})
  const listen = `127.0.0.1:${otherPort}`
  await channel.send({ type: 'hello', term: 1, run: null, commit: 0, listen })
  return {
    channel,
    copied: copied.promise,
    commits: commits.promise,
    /** Confirms a commit. Resolves when the primary has read that. */
    confirm: async (commit: number): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      channel.onPong = () => resolve()
      await channel.send({ type: 'ack', commit })
      channel.ping()
      await promise
    },
  }
}

test('a change that waits for its confirmation is acknowledged when the standby is detached', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.port, { acknowledge: 'standby' })
  closers.push(one.close)
  const standby = await connectReceiver(pair)
  await standby.confirm(await standby.copied)
  await until(() => one.primary.status().is_complete)
  const adding = one.add('not confirmed')
  await standby.commits
  const request = await openChannel({ host: '127.0.0.1', port: pair.port }, readPairKey(pair.first))
  await request.send({ type: 'detach' })
  expect((await request.receive()).message).toEqual({ type: 'detached', term: 3 })
  request.close()
  await adding
  expect(notesOf(pair.first)).toEqual(['not confirmed'])
})

test('a new copy confirms a change only once the standby has the whole copy', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.port, { acknowledge: 'standby' })
  closers.push(one.close)
  const first = await connectReceiver(pair)
  await first.confirm(await first.copied)
  await until(() => one.primary.status().is_complete)
  let isAcknowledged = false
  const adding = one.add('in the copy').then(() => (isAcknowledged = true))
  await first.commits
  first.channel.close()
  await until(() => one.primary.status().standby === null)
  const second = await connectReceiver(pair)
  const commit = await second.copied
  await second.confirm(0)
  expect(isAcknowledged).toBe(false)
  await second.confirm(commit)
  await adding
})

test('a standby that stops while it connects does not follow', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.port)
  closers.push(one.close)
  const follower = makeFollower(pair)
  await follower.start()
  // The connection is not open yet, because that takes several turns of the event loop.
  await follower.stop()
  expect(follower.status()).toMatchObject({ is_connected: false, is_complete: false })
})

test('only the holder of the key of the pair is heard', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.port)
  closers.push(one.close)
  const address = { host: '127.0.0.1', port: pair.port }
  const channel = await openChannel(address, readPairKey(pair.first))
  expect(await greet(channel, { role: 'standby', term: 1 })).toMatchObject({ role: 'primary' })
  channel.close()
  const stranger = mkdtempSync(join(tmpdir(), 'hearth-stranger-'))
  closers.push(() => rmSync(stranger, { recursive: true, force: true }))
  mkdirSync(join(stranger, 'secrets'))
  const other = createPairKey(stranger, systemClock)
  await expect(openChannel(address, other)).rejects.toThrow()
  // It trusts the server, and still has another key than it.
  const half = { ...other, cert: other.cert, ca: readPairKey(pair.first).cert }
  await expect(openChannel(address, half)).rejects.toThrow()
  expect(readRole(pair.first).term).toBe(1)
})

test('strangers that keep silent make room, and do not lock the peer out', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.port)
  closers.push(one.close)
  const address = { host: '127.0.0.1', port: pair.port }
  const connectSilently = async (count: number): Promise<Promise<void>[]> => {
    const sockets = Array.from({ length: count }, () => connect(address))
    closers.push(() => sockets.map((socket) => socket.destroy()))
    const opened = sockets.map((socket) => new Promise((done) => socket.once('connect', done)))
    const closed = sockets.map((socket) => {
      socket.on('error', () => {})
      return new Promise<void>((done) => socket.once('close', () => done()))
    })
    await Promise.all(opened)
    return closed
  }
  const first = await connectSilently(64)
  const channel = await openChannel(address, readPairKey(pair.first))
  closers.push(() => channel.close())
  expect(await greet(channel, { role: 'standby', term: 1 })).toMatchObject({ role: 'primary' })
  const startedMs = performance.now()
  await connectSilently(64)
  await Promise.all(first)
  expect(performance.now() - startedMs).toBeLessThan(4_000)
  const again = await openChannel(address, readPairKey(pair.first))
  closers.push(() => again.close())
  expect(await greet(again, { role: 'standby', term: 1 })).toMatchObject({ role: 'primary' })
  const last = await connectSilently(1)
  await Promise.all(last)
}, 20_000)
