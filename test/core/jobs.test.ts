import { expect, test } from 'bun:test'
import { job, QUEUE_CONCURRENCY, listJobs, type Job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { openDatabase } from '#core/db.ts'
import { migrate } from '#core/migrate.ts'
import { makeFloor } from './floor.ts'

const enqueue = (
  floor: ReturnType<typeof makeFloor>,
  definition: Job<unknown>,
  input: unknown,
  options = {},
) => writeAs(floor.hearth, null, (tx) => tx.enqueue(definition, input, options))

test('a job runs after its transaction with its input, and is deleted when it succeeded', async () => {
  const ran: unknown[] = []
  const greet = job<unknown>({ kind: 'greet', run: (_, input) => void ran.push(input) })
  const floor = makeFloor({ jobs: [greet] })
  await enqueue(floor, greet, { name: 'ada' })
  await floor.hearth.jobs.idle()
  expect(ran).toEqual([{ name: 'ada' }])
  expect(listJobs(floor.hearth.db, { limit: 10, offset: 0 })).toEqual([])
})

test('a transaction that fails leaves no job', async () => {
  const ran: unknown[] = []
  const greet = job<unknown>({ kind: 'greet', run: (_, input) => void ran.push(input) })
  const floor = makeFloor({ jobs: [greet] })
  await writeAs(floor.hearth, null, (tx) => {
    tx.enqueue(greet, 1)
    throw new Error('stop')
  }).catch(() => {})
  await floor.hearth.jobs.idle()
  expect(ran).toEqual([])
})

test('a job that fails is retried after its delays, and then stays with its error', async () => {
  let tries = 0
  const fail = job<unknown>({
    kind: 'fail',
    retry: ['1m', '5m'],
    run: () => {
      tries++
      throw new Error(`try ${tries}`)
    },
  })
  const floor = makeFloor({ jobs: [fail] })
  await enqueue(floor, fail, null)
  await floor.hearth.jobs.idle()
  expect(tries).toBe(1)
  floor.clock.at += 59_000
  await floor.hearth.jobs.idle()
  expect(tries).toBe(1)
  floor.clock.at += 1_000
  await floor.hearth.jobs.idle()
  expect(tries).toBe(2)
  floor.clock.at += 300_000
  await floor.hearth.jobs.idle()
  floor.clock.at += 86_400_000
  await floor.hearth.jobs.idle()
  expect(tries).toBe(3)
  expect(
    listJobs(floor.hearth.db, { state: 'failed', limit: 10, offset: 0 }).map(
      ({ kind, error, attempt }) => ({ kind, error, attempt }),
    ),
  ).toEqual([{ kind: 'fail', error: 'try 3', attempt: 3 }])
})

test('a job that was running when the process ended runs again at the next start', async () => {
  const database = makeFloor().database
  const hang = job<unknown>({ kind: 'work', run: () => new Promise(() => {}) })
  const before = makeFloor({ jobs: [hang] }, { database })
  await enqueue(before, hang, 'once')
  void before.hearth.jobs.idle()
  while (listJobs(before.hearth.db, { state: 'running', limit: 1, offset: 0 }).length === 0)
    await new Promise((done) => setImmediate(done))

  const ran: unknown[] = []
  const after = makeFloor(
    { jobs: [job<unknown>({ kind: 'work', run: (_, input) => void ran.push(input) })] },
    { database },
  )
  await after.hearth.jobs.start()
  await after.hearth.jobs.idle()
  expect(ran).toEqual(['once'])
})

test('a process that did not start its jobs leaves them to the one that did', async () => {
  const database = makeFloor().database
  const doneBy: string[] = []
  const floorOf = (name: string) => {
    const work = job<unknown>({ kind: 'work', run: () => void doneBy.push(name) })
    return { work, floor: makeFloor({ jobs: [work] }, { database }) }
  }
  const command = floorOf('command')
  await enqueue(command.floor, command.work, null)
  await enqueue(command.floor, command.work, null, { delay_ms: 1 })
  command.floor.clock.at += 1
  await Bun.sleep(20)
  const left = listJobs(command.floor.hearth.db, { state: 'waiting', limit: 10, offset: 0 })
  expect([doneBy, left.length]).toEqual([[], 2])
  const server = floorOf('server')
  server.floor.clock.at += 1
  await server.floor.hearth.jobs.start()
  await server.floor.hearth.jobs.idle()
  expect(doneBy).toEqual(['server', 'server'])
})

test('while a job with the same key waits, another is not added', async () => {
  const ran: unknown[] = []
  const refresh = job<unknown>({ kind: 'refresh', run: (_, input) => void ran.push(input) })
  const floor = makeFloor({ jobs: [refresh] })
  await writeAs(floor.hearth, null, (tx) => {
    tx.enqueue(refresh, 1, { key: 'a' })
    tx.enqueue(refresh, 2, { key: 'a' })
    tx.enqueue(refresh, 3, { key: 'b' })
    return null
  })
  await floor.hearth.jobs.idle()
  expect(ran).toEqual([1, 3])
})

test('a sweep runs again after its interval, and only one of it waits', async () => {
  let swept = 0
  const sweep = job<unknown>({ kind: 'sweep', every: '1h', run: () => void swept++ })
  const floor = makeFloor({ jobs: [sweep] })
  await floor.hearth.jobs.start()
  await floor.hearth.jobs.start()
  await floor.hearth.jobs.idle()
  expect(swept).toBe(1)
  floor.clock.at += 3_600_000
  await floor.hearth.jobs.idle()
  expect(swept).toBe(2)
  await floor.hearth.jobs.stop()
})

test('after a restart, of a running and a waiting job with one key the newer runs', async () => {
  const database = makeFloor().database
  const before = makeFloor(
    { jobs: [job<unknown>({ kind: 'work', run: () => new Promise(() => {}) })] },
    { database },
  )
  const hang = job<unknown>({ kind: 'work', run: () => {} })
  await enqueue(before, hang, 'old', { key: 'k' })
  void before.hearth.jobs.idle()
  while (listJobs(before.hearth.db, { state: 'running', limit: 1, offset: 0 }).length === 0)
    await new Promise((done) => setImmediate(done))
  await enqueue(before, hang, 'new', { key: 'k', delay_ms: 1000 })

  const ran: unknown[] = []
  const after = makeFloor(
    { jobs: [job<unknown>({ kind: 'work', run: (_, input) => void ran.push(input) })] },
    { database },
  )
  await after.hearth.jobs.start()
  after.clock.at += 1000
  await after.hearth.jobs.idle()
  expect(ran).toEqual(['new'])
})

test('a job that fails is dropped when another waits under its key', async () => {
  const ran: unknown[] = []
  const floor = makeFloor()
  const flaky: Job<unknown> = job<unknown>({
    kind: 'flaky',
    retry: ['1m'],
    run: async ({ hearth }, input) => {
      ran.push(input)
      if (input !== 'first') return
      await writeAs(hearth, null, (tx) => tx.enqueue(flaky, 'second', { key: 'k', delay_ms: 500 }))
      throw new Error('no')
    },
  })
  const with_ = makeFloor({ jobs: [flaky] }, { database: floor.database })
  await enqueue(with_, flaky, 'first', { key: 'k' })
  await with_.hearth.jobs.idle()
  with_.clock.at += 120_000
  await with_.hearth.jobs.idle()
  expect(ran).toEqual(['first', 'second'])
  expect(listJobs(with_.hearth.db, { limit: 10, offset: 0 })).toEqual([])
})

test('a full queue delays only its own jobs', async () => {
  const ran: string[] = []
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const slow = job<unknown>({
    kind: 'slow',
    queue: 'imports',
    run: async (_, input) => {
      await gate
      ran.push(`slow ${input}`)
    },
  })
  const quick = job<unknown>({ kind: 'quick', run: (_, input) => void ran.push(`quick ${input}`) })
  const floor = makeFloor({ jobs: [slow, quick] })
  await floor.hearth.jobs.start()
  for (let n = 1; n <= QUEUE_CONCURRENCY.imports + 2; n++) await enqueue(floor, slow, n)
  const done = new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (ran.length < 3) return
      clearInterval(look)
      resolve()
    }, 1)
  })
  for (let n = 1; n <= 3; n++) await enqueue(floor, quick, n)
  await done
  expect(ran).toEqual(['quick 1', 'quick 2', 'quick 3'])
  expect(
    listJobs(floor.hearth.db, { state: 'running', kind: 'slow', limit: 10, offset: 0 }),
  ).toHaveLength(QUEUE_CONCURRENCY.imports)
  expect(
    listJobs(floor.hearth.db, { state: 'waiting', kind: 'slow', limit: 10, offset: 0 }),
  ).toHaveLength(2)
  release()
  await floor.hearth.jobs.idle()
  expect(ran.slice(3).toSorted()).toEqual(['slow 1', 'slow 2', 'slow 3', 'slow 4'])
})

test('while a queue is full, other jobs are found without reading its own', async () => {
  const database = openDatabase({ path: ':memory:' })
  migrate(database, '2026-01-01T00:00:00.000Z')
  const gate = Promise.withResolvers<void>()
  const slow = job<unknown>({ kind: 'slow', queue: 'imports', run: () => gate.promise })
  const floor = makeFloor({ jobs: [slow] }, { database })
  await floor.hearth.jobs.start()
  const texts = new Set<string>()
  for (let n = 0; n < QUEUE_CONCURRENCY.imports + 2; n++) await enqueue(floor, slow, n)
  database.watch = (sql) => void (sql.includes('WITH RECURSIVE kinds') && texts.add(sql))
  while (texts.size === 0) await Bun.sleep(1)
  database.watch = null
  const [sql = ''] = texts
  const plan = database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
  const readers = plan.map(({ detail }) => detail).filter((detail) => / jobs /.test(detail))
  expect(readers.length).toBeGreaterThan(0)
  for (const reader of readers)
    expect(reader).toMatch(
      /^SEARCH jobs USING (COVERING INDEX jobs_due_of_kind|PRIMARY KEY \(id=\?\))/,
    )
  gate.resolve()
  await floor.hearth.jobs.idle()
})

test('enqueueing again makes a waiting job run sooner, but not one that failed before', async () => {
  let tries = 0
  const look = job<unknown>({
    kind: 'look',
    retry: ['1h'],
    run: () => {
      if (++tries === 2) throw new Error('not now')
    },
  })
  const floor = makeFloor({ jobs: [look] })
  await enqueue(floor, look, 1, { key: 'a', delay_ms: 86_400_000 })
  await enqueue(floor, look, 1, { key: 'a' })
  await floor.hearth.jobs.idle()
  expect(tries).toBe(1)
  expect(listJobs(floor.hearth.db, { limit: 10, offset: 0 })).toEqual([])
  await enqueue(floor, look, 1, { key: 'a' })
  await floor.hearth.jobs.idle()
  await enqueue(floor, look, 1, { key: 'a' })
  await floor.hearth.jobs.idle()
  expect(tries).toBe(2)
  expect(listJobs(floor.hearth.db, { limit: 10, offset: 0 })).toMatchObject([
    { state: 'waiting', attempt: 1 },
  ])
})

test('the result of a job is written once the disk has space again, and the job runs once', async () => {
  let runs = 0
  const grow = job<unknown>({
    kind: 'grow',
    retry: [],
    run: () => {
      runs++
      throw new Error('x'.repeat(100_000))
    },
  })
  const floor = makeFloor({ jobs: [grow] })
  const noted = Promise.withResolvers<string>()
  Object.assign(floor.hearth, {
    log: { ...floor.hearth.log, error: (message: string) => noted.resolve(message) },
  })
  await enqueue(floor, grow, null)
  const pages = floor.database.one<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0
  // The same error as a full disk gives.
  floor.database.exec(`PRAGMA max_page_count = ${pages}`)
  const idle = floor.hearth.jobs.idle()
  expect(await noted.promise).toContain('could not be written')
  expect(listJobs(floor.hearth.db, { limit: 10, offset: 0 })).toMatchObject([
    { state: 'running', error: null },
  ])
  floor.database.exec('PRAGMA max_page_count = 1000000')
  floor.hearth.jobs.wake()
  await idle
  expect(listJobs(floor.hearth.db, { limit: 10, offset: 0 })).toMatchObject([
    { state: 'failed', error: 'x'.repeat(100_000) },
  ])
  expect(runs).toBe(1)
})

test('after the clock was set back, sweeps and retries keep their delays', async () => {
  const ran: string[] = []
  const sweep = job<null>({ kind: 'sweep_up', every: '1h', run: () => void ran.push('sweep') })
  const later = job<unknown>({ kind: 'later', run: () => void ran.push('later') })
  const floor = makeFloor({ jobs: [sweep as Job, later] })
  const now = floor.clock.at
  await floor.hearth.jobs.start()
  await floor.hearth.jobs.idle()
  // Ahead by ten years: the sweep runs and plans its next one there, and somebody asks for work in
  // a minute.
  floor.clock.at = now + 10 * 365 * 86_400_000
  await floor.hearth.jobs.idle()
  await enqueue(floor, later, null, { delay_ms: 60_000 })
  expect(ran).toEqual(['sweep', 'sweep'])
  floor.clock.at = now + 1_000
  await floor.hearth.jobs.idle()
  expect(ran).toHaveLength(2)
  floor.clock.at += 60_000
  await floor.hearth.jobs.idle()
  expect(ran).toEqual(['sweep', 'sweep', 'later'])
  floor.clock.at += 3_540_000
  await floor.hearth.jobs.idle()
  expect(ran).toEqual(['sweep', 'sweep', 'later', 'sweep'])
  await floor.hearth.jobs.stop()
})

test('draining aborts running jobs and starts none, while other work goes on', async () => {
  let heard = false
  const waits = job<unknown>({
    kind: 'wait',
    run: ({ signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error(`${(heard = true)}`))),
      ),
  })
  const ran: unknown[] = []
  const work = job<unknown>({ kind: 'work', run: (_, input) => void ran.push(input) })
  const floor = makeFloor({ jobs: [waits, work] })
  await enqueue(floor, waits, 'first')
  void floor.hearth.jobs.idle().catch(() => {})
  while (listJobs(floor.hearth.db, { state: 'running', limit: 1, offset: 0 }).length === 0)
    await new Promise((done) => setImmediate(done))
  floor.hearth.drain()
  expect([heard, floor.hearth.draining.aborted, floor.hearth.stopping.aborted]).toEqual([
    true,
    true,
    false,
  ])
  await enqueue(floor, work, 'later')
  await floor.hearth.jobs.stop()
  expect(ran).toEqual([])
  // What was cut off is still called running, and the next start takes it up.
  expect(
    listJobs(floor.hearth.db, { limit: 10, offset: 0 }).map(({ kind, state, error }) => [
      kind,
      state,
      error,
    ]),
  ).toEqual([
    ['work', 'waiting', null],
    ['wait', 'running', null],
  ])
})
