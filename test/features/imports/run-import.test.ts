/**
 * Imports that meet what imports meet: a process that ends, names that change, redirects, many
 * refs.
 */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openHearth } from '#src/app.ts'
import { writeAs } from '#core/write.ts'
import { call } from '#core/operation.ts'
import { cancelImport } from '#features/imports/cancel-import.ts'
import { createImport } from '#features/imports/create-import.ts'
import { getImport } from '#features/imports/get-import.ts'
import { runImport } from '#features/imports/run-import.ts'
import { setProgress } from '#features/imports/store.ts'
import { silentLog } from '#lib/log.ts'
import { MINUTE, SECOND, timestamp } from '#lib/time.ts'
import { COLLISION_SCAN_DELAY_MS, repoByPath } from '#features/repos/index.ts'
import { git, tryGit } from '../../git/support/real-git.ts'
import { expectSound } from '../../git/support/sound.ts'
import { makeImportWorld } from './fixture.ts'
import { listRefsOf } from './refs.ts'

const it = await makeImportWorld()
const { world, ada } = it
const start = (url: string, name: string) =>
  world.call(createImport, ada, { source: 'git', workspace: 'acme', url, name })

test('ten thousand branches arrive, with an event each', async () => {
  await git(it.work, 'clone', '-q', '--mirror', it.source, 'many.git')
  const oid = await git(it.source, 'rev-parse', 'main~5')
  const lines = Array.from({ length: 10_000 }, (_, i) => `create refs/heads/b/${i} ${oid}\n`).join(
    '',
  )
  expect(
    (await tryGit(join(it.work, 'many.git'), ['update-ref', '--stdin'], { input: lines })).code,
  ).toBe(0)
  const { id } = await start(`${it.backend().url}/many.git`, 'many')
  await world.jobs()
  const total = 10_000 + (await it.wanted()).size
  expect(await world.call(getImport, ada, { id })).toMatchObject({
    state: 'done',
    progress: { refs: total, total_refs: total },
  })
  expect(it.refs('acme/many').size).toBe(total)
  expect(
    world
      .events('git.push')
      .filter(({ repo_id }) => repo_id === repoByPath(world.hearth.db, 'acme/many')?.id).length,
  ).toBe(total)
}, 120_000)

/**
 * Cuts the answer to a fetch inside of its pack: the first large packet becomes two of the same
 * band (gitprotocol-pack, "Packfile Data"), one on each side. Git's packets differ from run to run.
 * On a busy machine a small pack is one packet, of which half would not be readable yet.
 */
function cutInPack(answer: Uint8Array): [Uint8Array, Uint8Array] {
  const bytes = Buffer.from(answer)
  const PACK_BAND = 1
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 4), 16)
    const end = at + Math.max(length, 4)
    if (length > 1000 && bytes[at + 4] === PACK_BAND) {
      const middle = at + 5 + ((length - 5) >> 1)
      const packet = (data: Buffer) =>
        Buffer.concat([
          Buffer.from((data.length + 5).toString(16).padStart(4, '0')),
          Buffer.of(PACK_BAND),
          data,
        ])
      return [
        Buffer.concat([bytes.subarray(0, at), packet(bytes.subarray(at + 5, middle))]),
        Buffer.concat([packet(bytes.subarray(middle, end)), bytes.subarray(end)]),
      ]
    }
    at = end
  }
  throw new Error('the answer has no pack')
}

/** A server in front of git's own that holds the answer to a fetch back after its first bytes. */
function startSlow(behind: string) {
  let open: () => void = () => {}
  let halfway: () => void = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  const reached = new Promise<void>((resolve) => (halfway = resolve))
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url)
      const body = request.method === 'POST' ? await request.bytes() : null
      const answer = await fetch(`${behind}${url.pathname}${url.search}`, {
        method: request.method,
        headers: request.headers,
        body,
      })
      if (!body || !Buffer.from(body).includes('command=fetch')) return answer
      const [first, rest] = cutInPack(await answer.bytes())
      return new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(first)
            halfway()
            await opened
            try {
              controller.enqueue(rest)
              controller.close()
            } catch {
              // The other side is gone.
            }
          },
        }),
        { headers: answer.headers },
      )
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, open, reached, close: () => server.stop(true) }
}

test('a process that ends midway leaves nothing visible, and the next one brings it to its end', async () => {
  const slow = startSlow(it.backend().url)
  const own = await makeImportWorld()
  const { id } = await own.world.call(createImport, own.ada, {
    source: 'git',
    workspace: 'acme',
    url: `${slow.url}/source.git`,
    name: 'stopped',
  })
  await own.world.hearth.jobs.start()
  await slow.reached
  await own.world.hearth.close()
  // What follows is another process; this one is over.
  Object.assign(own.world.hearth, { close: async () => {} })
  const again = openHearth({
    settings: own.world.hearth.settings,
    log: silentLog,
    clock: own.world.clock,
    databasePath: join(own.world.data, 'hearth.db'),
  })
  afterAll(() => again.close())
  expect(await call(again, getImport, own.ada, { id })).toMatchObject({
    state: 'running',
    finished_at: null,
  })
  expect(listRefsOf(again, 'acme/stopped').size).toBe(0)
  const packs = join(
    own.world.data,
    'repos',
    repoByPath(again.db, 'acme/stopped')?.store ?? '',
    'objects',
    'pack',
  )
  expect(readdirSync(packs)).toEqual([])
  expect(readdirSync(join(own.world.data, 'tmp', 'git'))).toEqual([])
  slow.open()
  await again.jobs.start()
  await again.jobs.idle()
  expect(await call(again, getImport, own.ada, { id })).toMatchObject({ state: 'done' })
  expect(listRefsOf(again, 'acme/stopped')).toEqual(await own.wanted())
  await slow.close()
}, 120_000)

test('a process that is killed in the middle of one leaves nothing visible, and the next brings all of it', async () => {
  const slow = startSlow(it.backend().url)
  const own = await makeImportWorld()
  const { id } = await own.world.call(createImport, own.ada, {
    source: 'git',
    workspace: 'acme',
    url: `${slow.url}/source.git`,
    name: 'killed',
  })
  await own.world.hearth.close()
  Object.assign(own.world.hearth, { close: async () => {} })
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'importing.ts'), own.world.data],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const ended = child.exited.then((status) =>
    Promise.reject(new Error(`the other process ended by itself with ${status}`)),
  )
  await Promise.race([slow.reached, ended])
  const incoming = () => readdirSync(join(own.world.data, 'tmp', 'git'))
  // What has come is on its way to the disk.
  while (incoming().length === 0) await Promise.race([Bun.sleep(5), ended])
  child.kill('SIGKILL')
  await child.exited
  expect(incoming().length).toBeGreaterThan(0)
  const again = openHearth({
    settings: own.world.hearth.settings,
    log: silentLog,
    clock: own.world.clock,
    databasePath: join(own.world.data, 'hearth.db'),
  })
  afterAll(() => again.close())
  expect(incoming()).toEqual([])
  expect(await call(again, getImport, own.ada, { id })).toMatchObject({
    state: 'running',
    finished_at: null,
  })
  expect(listRefsOf(again, 'acme/killed').size).toBe(0)
  slow.open()
  await again.jobs.start()
  await again.jobs.idle()
  expect(await call(again, getImport, own.ada, { id })).toMatchObject({ state: 'done', errors: [] })
  expect(listRefsOf(again, 'acme/killed')).toEqual(await own.wanted())
  await expectSound(join(own.world.data, 'repos'))
  await slow.close()
}, 120_000)

/** A server that never answers, and tells of each request. */
function startMute() {
  let arrived: () => void = () => {}
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: () => (arrived(), new Promise<Response>(() => {})),
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    next: () => new Promise<void>((resolve) => (arrived = resolve)),
    close: () => server.stop(true),
  }
}

test('an import whose process is killed without progress waits ever longer, and is given up after ten', async () => {
  const mute = startMute()
  const own = await makeImportWorld()
  const { id } = await own.world.call(createImport, own.ada, {
    source: 'git',
    workspace: 'acme',
    url: `${mute.url}/source.git`,
    name: 'lost',
  })
  await own.world.hearth.close()
  Object.assign(own.world.hearth, { close: async () => {} })
  for (let start = 0; start < 3; start++) {
    const asked = mute.next()
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, 'importing.ts'), own.world.data],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    )
    await Promise.race([
      asked,
      child.exited.then((status) => Promise.reject(new Error(`it ended with ${status}`))),
    ])
    child.kill('SIGKILL')
    await child.exited
  }
  const { clock } = own.world
  const again = openHearth({
    settings: own.world.hearth.settings,
    log: silentLog,
    clock,
    databasePath: join(own.world.data, 'hearth.db'),
  })
  afterAll(() => again.close())
  const row = () =>
    again.db.one<{ attempts: number; lost_starts: number }>(
      'SELECT attempts, lost_starts FROM imports WHERE id = ?',
      id,
    )
  expect(row()).toEqual({ attempts: 1, lost_starts: 3 })
  await again.jobs.start()
  await again.jobs.idle()
  const waiting = await call(again, getImport, own.ada, { id })
  expect(waiting).toMatchObject({ state: 'queued', errors: ['the server ended while it ran'] })
  const wait = Date.parse(waiting.resume_at ?? '') - clock.now()
  expect(wait).toBeGreaterThanOrEqual(10 * SECOND)
  expect(wait).toBeLessThan(20 * SECOND)
  expect(row()).toEqual({ attempts: 0, lost_starts: 3 })
  // Ends of the process meanwhile are not its fault.
  await again.jobs.idle()
  expect(row()).toEqual({ attempts: 0, lost_starts: 3 })
  // It begins again, and stopping the server is not counted.
  const asked = mute.next()
  clock.advance(20 * SECOND)
  again.jobs.wake()
  await asked
  expect(row()).toEqual({ attempts: 1, lost_starts: 4 })
  await again.jobs.stop()
  expect(row()).toEqual({ attempts: 1, lost_starts: 3 })
  // The tenth such end is the last.
  const last = openHearth({
    settings: own.world.hearth.settings,
    log: silentLog,
    clock,
    databasePath: join(own.world.data, 'hearth.db'),
  })
  afterAll(() => last.close())
  await writeAs(last, null, (tx) => void tx.db.run('UPDATE imports SET lost_starts = 10'))
  await last.jobs.start()
  await last.jobs.idle()
  expect(await call(last, getImport, own.ada, { id })).toMatchObject({
    state: 'failed',
    errors: ['the server ended 10 times while it ran, each time before any progress'],
  })
  await mute.close()
}, 120_000)

test('a first error is followed by the first of its delays, however often the process ended before', async () => {
  const down = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('not now', { status: 502 }),
  })
  const { id } = await start(`http://127.0.0.1:${down.port}/x`, 'down')
  await world.jobs()
  const waiting = {
    state: 'queued',
    resume_at: timestamp(world.clock.now() + 10 * SECOND),
  }
  expect(await world.call(getImport, ada, { id })).toMatchObject(waiting)
  await world.write((tx) => {
    tx.db.run("UPDATE imports SET state = 'running', lost_starts = 2 WHERE id = ?", id)
    tx.enqueue(runImport, { id }, { key: id })
  })
  await world.jobs()
  expect(await world.call(getImport, ada, { id })).toMatchObject(waiting)
  expect(it.row(id)).toMatchObject({ attempts: 1, lost_starts: 0 })
  await world.call(cancelImport, ada, { id })
  await down.stop(true)
})

test('a phase that is further than ever forgets starts that were lost', async () => {
  const mute = startMute()
  const asked = mute.next()
  const { id } = await start(`${mute.url}/source.git`, 'lost-phases')
  const idle = world.jobs()
  await asked
  const lost: [string, unknown][] = []
  for (const phase of ['connecting', 'receiving', 'receiving', 'checking', 'receiving'] as const) {
    await world.write((tx) => void tx.db.run('UPDATE imports SET lost_starts = 9'))
    await world.write((tx) => setProgress(tx, id, { phase }))
    lost.push([phase, it.row(id)?.lost_starts])
  }
  expect(lost).toEqual([
    ['connecting', 0],
    ['receiving', 0],
    ['receiving', 9],
    ['checking', 0],
    ['receiving', 9],
  ])
  await world.call(cancelImport, ada, { id })
  await idle
  await mute.close()
})

test('an import that is too large to be searched for made collisions at once is searched later, a small one at once', async () => {
  const asked: { store: string; tips: number; hide: number }[] = []
  const real = world.hearth.git.findSha1Collisions
  Object.assign(world.hearth.git, {
    findSha1Collisions: async (...args: Parameters<typeof real>) => {
      asked.push({ store: args[0], tips: args[1].tips.length, hide: args[1].hide?.length ?? 0 })
      return await real(...args)
    },
  })
  await git(it.work, 'clone', '-q', '--mirror', it.source, 'large.git')
  const noise = Buffer.concat(
    Array.from({ length: 70 }, () => crypto.getRandomValues(new Uint8Array(65536))),
  )
  await Bun.write(join(it.work, 'noise'), noise)
  const blob = await git(join(it.work, 'large.git'), 'hash-object', '-w', join(it.work, 'noise'))
  await git(join(it.work, 'large.git'), 'tag', '-a', '-m', 'large', 'large', blob)
  for (const name of ['source', 'large']) {
    const { id } = await start(`${it.backend().url}/${name}.git`, `look-${name}`)
    await world.jobs()
    expect(await world.call(getImport, ada, { id })).toMatchObject({ state: 'done' })
  }
  expect(asked).toEqual([])
  world.clock.advance(COLLISION_SCAN_DELAY_MS)
  await world.jobs()
  const tips = new Set(it.refs('acme/look-large').values()).size
  expect(asked).toEqual([
    { store: repoByPath(world.hearth.db, 'acme/look-large')?.store ?? '', tips, hide: 0 },
  ])
  expect(world.hearth.db.all(`SELECT kind FROM jobs WHERE kind = 'find_sha1_collisions'`)).toEqual(
    [],
  )
  Object.assign(world.hearth.git, { findSha1Collisions: real })
}, 120_000)

test('attempts before one that makes refs are forgotten, so that being cut off there does not give up half of it', async () => {
  const { id } = await start(`${it.backend().url}/source.git`, 'cut-off')
  await world.write((tx) => void tx.db.run('UPDATE imports SET attempts = 3 WHERE id = ?', id))
  await world.jobs()
  expect(await world.call(getImport, ada, { id })).toMatchObject({ state: 'done' })
  // Cut off after its refs, before its end was noted.
  await world.write((tx) => {
    tx.db.run("UPDATE imports SET state = 'running', finished_at = NULL WHERE id = ?", id)
    tx.enqueue(runImport, { id }, { key: id })
  })
  await world.jobs()
  expect(await world.call(getImport, ada, { id })).toMatchObject({ state: 'done', errors: [] })
  expect(it.refs('acme/cut-off')).toEqual(await it.wanted())
})

test('a redirect is followed to another place that may be asked, and to no other', async () => {
  const behind = it.backend()
  let target = ''
  const seen: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url)
      seen.push(`${request.method} ${pathname}`)
      return new Response(null, { status: 301, headers: { location: `${target}${search}` } })
    },
  })
  target = `${behind.url}/source.git/info/refs`
  const good = await start(`http://127.0.0.1:${server.port}/moved`, 'moved')
  await world.jobs()
  expect(await world.call(getImport, ada, { id: good.id })).toMatchObject({ state: 'done' })
  expect(seen).toEqual(['GET /moved/info/refs'])
  // Another address of this very machine, which nobody allowed, in two spellings.
  for (const [i, host] of [
    `127.0.0.2:${new URL(behind.url).port}`,
    '[::ffff:127.0.0.1]',
    '10.0.0.1',
  ].entries()) {
    target = `http://${host}/source.git/info/refs`
    const asked = behind.asked.length
    const bad = await start(`http://127.0.0.1:${server.port}/moved`, `bad-${i}`)
    await world.jobs()
    expect(await world.call(getImport, ada, { id: bad.id })).toMatchObject({
      state: 'failed',
      errors: [expect.stringContaining('outbound.allow')],
    })
    expect(behind.asked.length).toBe(asked)
  }
  await server.stop(true)
})

test('the address is checked again whenever it is asked: what was allowed may be no longer', async () => {
  let asked = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => (asked++, new Response('not now', { status: 502 })),
  })
  const { id } = await start(`http://127.0.0.1:${server.port}/x`, 'later')
  await world.jobs()
  expect(await world.call(getImport, ada, { id })).toMatchObject({ state: 'queued' })
  Object.assign(world.hearth.settings, { outbound_allow: [] })
  world.clock.advance(MINUTE)
  await world.jobs()
  expect(await world.call(getImport, ada, { id })).toMatchObject({
    state: 'failed',
    errors: [expect.stringContaining('outbound.allow')],
  })
  expect(asked).toBe(1)
  expect(
    existsSync(join(world.data, 'repos', repoByPath(world.hearth.db, 'acme/later')?.store ?? '')),
  ).toBe(true)
  await server.stop(true)
})
