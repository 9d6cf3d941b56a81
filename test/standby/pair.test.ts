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
import { openChannel, type Address, type Channel, type Message } from '#src/standby/channel.ts'
import { addressText, Follower, TakeOverRefusal } from '#src/standby/follower.ts'
import { createPairKey, pairKeyPath, readPairKey } from '#src/standby/pair-key.ts'
import type { DirectoryListing } from '#src/standby/file-list.ts'
import { greet } from '#src/standby/peer.ts'
import { Primary } from '#src/standby/primary.ts'
import { readRole } from '#src/standby/role.ts'
import { ownAddress } from '../../scripts/support/ports.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

type Options = { acknowledge?: 'local' | 'standby'; lease_ms?: number | null; clock?: Clock }

/** A serving side with one table, in a data directory. */
async function makePrimary(data: string, listen: Address, options: Options = {}) {
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
    listen,
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
  return { first, second, primary: ownAddress(), standby: ownAddress() }
}

function makeFollower({ second, primary, standby }: ReturnType<typeof makeDirectories>): Follower {
  return new Follower({
    data: second,
    primary,
    listen: standby,
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
  const one = await makePrimary(pair.first, pair.primary)
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
  const again = await makePrimary(pair.first, pair.primary)
  closers.push(again.close)
  await expect(again.add('after a restart')).rejects.toThrow('has taken over')
  expect(notesOf(pair.second)).not.toContain('too late')
})

test('with a standby that confirms, nothing is acknowledged while it is away', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.primary, { acknowledge: 'standby' })
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
  const one = await makePrimary(pair.first, pair.primary)
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
  const one = await makePrimary(pair.first, pair.primary)
  const follower = makeFollower(pair)
  await follower.start()
  await until(() => one.primary.status().is_complete)
  await one.close()
  await until(() => !follower.status().is_connected)
  await expect(follower.takeOver(false, () => {})).rejects.toThrow(TakeOverRefusal)
  expect(readRole(pair.second)).toMatchObject({ role: 'standby', term: 1 })
  expect(await follower.takeOver(true, () => {})).toMatchObject({ role: 'primary', term: 2 })
  // The first comes back later and is told.
  const two = await makePrimary(pair.second, pair.standby)
  closers.push(two.close)
  const later = await makePrimary(pair.first, pair.primary)
  closers.push(later.close)
  expect(readRole(pair.first)).toMatchObject({ role: 'fenced', term: 2 })
  await expect(later.add('late')).rejects.toThrow('has taken over')
})

test('a primary with a lease changes nothing once the standby is silent', async () => {
  const pair = makeDirectories()
  let passedMs = 0
  const clock = { now: () => systemClock.now() + passedMs }
  const one = await makePrimary(pair.first, pair.primary, { lease_ms: 60_000, clock })
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
  const one = await makePrimary(pair.first, pair.primary)
  await one.add('everything')
  await one.close()
  const follower = makeFollower(pair)
  await follower.start()
  await until(() => follower.status().silent_ms > 20)
  await expect(follower.takeOver(false, () => {})).rejects.toThrow('never had everything')
  await follower.stop()
  expect(existsSync(join(pair.second, 'hearth.db'))).toBe(false)
})

type Receiving = {
  /** What it says of itself at the begin. */
  hello?: { run: string; commit: number }
  /** Returns true for a message that needs no other answer. */
  handle?: (message: Message, channel: Channel) => Promise<boolean>
}

/** A standby that receives everything, and confirms only what a test tells it to. */
async function connectReceiver(
  { second, primary, standby }: ReturnType<typeof makeDirectories>,
  { hello, handle }: Receiving = {},
) {
  const channel = await openChannel(primary, readPairKey(second))
  closers.push(() => channel.close())
  const copied = Promise.withResolvers<number>()
  const commits = Promise.withResolvers<number>()
  const welcomed = Promise.withResolvers<string>()
  const ended = Promise.withResolvers<string>()
  const answer = async (message: Message): Promise<void> => {
    const { type, id, commit, last, run } = message
    if (await handle?.(message, channel)) return
    if (type === 'welcome') welcomed.resolve(String(run))
    else if (type === 'files') await channel.send({ type: 'differences', id, differences: [] })
    else if (type === 'hashes') await channel.send({ type: 'blocks', id, blocks: [] })
    else if (type === 'mark') await channel.send({ type: 'marked', id })
    else if (type === 'base_end') copied.resolve(Number(commit))
    else if (type === 'commits') commits.resolve(Number(last))
  }
  const receive = async (): Promise<void> => {
    for (;;) await answer((await channel.receive()).message)
  }
  receive().catch((error: Error) => ended.resolve(error.message))
  const listen = addressText(standby)
  await channel.send({ type: 'hello', term: 1, run: null, commit: 0, listen, ...hello })
  return {
    channel,
    run: welcomed.promise,
    ended: ended.promise,
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
  const one = await makePrimary(pair.first, pair.primary, { acknowledge: 'standby' })
  closers.push(one.close)
  const standby = await connectReceiver(pair)
  await standby.confirm(await standby.copied)
  await until(() => one.primary.status().is_complete)
  const adding = one.add('not confirmed')
  await standby.commits
  const request = await openChannel(pair.primary, readPairKey(pair.first))
  await request.send({ type: 'detach' })
  expect((await request.receive()).message).toEqual({ type: 'detached', term: 3 })
  request.close()
  await adding
  expect(notesOf(pair.first)).toEqual(['not confirmed'])
})

test('a new copy confirms a change only once the standby has the whole copy', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.primary, { acknowledge: 'standby' })
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

test('a file that comes while all files are compared is there before the copy is complete', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.primary)
  closers.push(one.close)
  await one.add('before')
  const listed: string[] = []
  let isFirst = true
  const standby = await connectReceiver(pair, {
    handle: async ({ type, listings }) => {
      if (type !== 'files') return false
      for (const { directory, files } of listings as DirectoryListing[])
        for (const [name] of files) listed.push(`${directory}/${name}`)
      if (!isFirst) return false
      isFirst = false
      // Its directory was listed already, and this one is not.
      mkdirSync(join(pair.first, 'blobs', 'ab'), { recursive: true })
      writeFileSync(join(pair.first, 'blobs', 'ab', 'new'), 'new file')
      one.replication.note('blobs/ab/new')
      await one.add('names the file')
      return false
    },
  })
  await standby.copied
  expect(listed).toContain('blobs/ab/new')
})

test('files that never stay as they were end the connection, and no commit goes before them', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.primary)
  closers.push(one.close)
  let compared = 0
  const standby = await connectReceiver(pair, {
    handle: async ({ type, id, listings }, channel) => {
      const [{ directory = '' } = {}] = (listings ?? []) as DirectoryListing[]
      if (type === 'commits') throw new Error('a commit came before its files')
      if (type !== 'files' || directory !== 'blobs') return false
      compared++
      const difference = { directory, names: ['gone'], extra_files: [], extra_folders: [] }
      await channel.send({ type: 'differences', id, differences: [difference] })
      return true
    },
  })
  await standby.confirm(await standby.copied)
  await until(() => one.primary.status().is_complete)
  mkdirSync(join(pair.first, 'blobs'))
  one.replication.note('blobs')
  await one.add('names the files')
  expect(await standby.ended).toContain('closed')
  expect(compared).toBeGreaterThan(2)
  await until(() => one.primary.status().standby === null)
  expect(one.primary.status().lag_commits).toBe(1)
})

test('a standby that comes back before its loss is noticed gets the files that it had not confirmed', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.primary)
  closers.push(one.close)
  const receiver = async (isConfirming: () => boolean, hello?: Receiving['hello']) => {
    const file = Promise.withResolvers<void>()
    const standby = await connectReceiver(pair, {
      ...(hello && { hello }),
      handle: async ({ type, listings = [] }) => {
        // Listings of whole directories are of the comparison that comes regularly.
        for (const { directory, whole } of listings as DirectoryListing[])
          if (directory === 'blobs/ab' && !whole) file.resolve()
        return type === 'mark' && !isConfirming()
      },
    })
    return { ...standby, file: file.promise }
  }
  let isConfirming = true
  const first = await receiver(() => isConfirming)
  const commit = await first.copied
  await first.confirm(commit)
  await until(() => one.primary.status().is_complete)
  isConfirming = false
  mkdirSync(join(pair.first, 'blobs', 'ab'), { recursive: true })
  writeFileSync(join(pair.first, 'blobs', 'ab', 'new'), 'new file')
  one.replication.note('blobs/ab/new')
  await one.add('names the file')
  await first.file
  const again = await receiver(() => true, { run: await first.run, commit })
  await again.file
})

test('a standby that stops while it connects does not follow', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.primary)
  closers.push(one.close)
  const follower = makeFollower(pair)
  await follower.start()
  // The connection is not open yet, because that takes several turns of the event loop.
  await follower.stop()
  expect(follower.status()).toMatchObject({ is_connected: false, is_complete: false })
})

test('only the holder of the key of the pair is heard', async () => {
  const pair = makeDirectories()
  const one = await makePrimary(pair.first, pair.primary)
  closers.push(one.close)
  const address = pair.primary
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
  const one = await makePrimary(pair.first, pair.primary)
  closers.push(one.close)
  const address = pair.primary
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
