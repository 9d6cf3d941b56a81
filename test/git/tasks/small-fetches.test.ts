import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGit, type Git, type RefSnapshot } from '#git'
import { WorkBudget, BudgetExceeded } from '../../../src/git/store/work-budget.ts'
import { FLUSH, DELIM, pkt } from '../../../src/git/protocol/pkt-line.ts'
import { makeHistory, random } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

/**
 * One store, served by an engine that leaves all fetches to its threads, and by one that runs small
 * fetches on the main thread without a time limit.
 */
let host: TestHost
let work: string
let source: string
let at: string
let patient: Git
let snapshot: RefSnapshot
let hidden: string
const made: Git[] = []

function beside(smallMs: number, parties?: () => string): Git {
  const currentPrincipal = parties && (() => ({ id: parties(), deadlineMs: null }))
  const one = createGit({
    root: host.root,
    tmp: mkdtempSync(join(at, 'tmp-')),
    sharedRoot: true,
    workers: 1,
    mainThreadFetchMs: smallMs,
    currentPrincipal,
    concurrency: 2,
  })
  made.push(one)
  return one
}

beforeAll(async () => {
  work = scratch()
  at = mkdtempSync(join(tmpdir(), 'hearth-small-'))
  source = await makeHistory(work, 'source', { seed: 7, commits: 150, tags: true })
  host = await startHost({ mainThreadFetchMs: 0 })
  await host.create('one')
  await git(source, 'push', '-q', '--mirror', host.remote('one'))
  // The fork has the same refs, so that only the hidden object is in a pack of its own. Of an
  // object in two packs either entry may be sent.
  host.refs.set('one@fork', new Map(host.refs.get('one')))
  hidden = await git(source, 'commit-tree', '-p', 'main', '-m', 'hidden', 'main^{tree}')
  await git(source, 'push', '-q', host.remote('one@fork'), `${hidden}:refs/heads/hidden`)
  snapshot = await host.snapshot('one')
  patient = beside(60_000)
})

afterAll(async () => {
  for (const one of made) await one.close()
  await host.close()
  discard(work)
  rmSync(at, { recursive: true, force: true })
})

function body(...lines: string[]): Uint8Array {
  return Buffer.concat([
    pkt('command=fetch\n'),
    pkt('object-format=sha1\n'),
    DELIM,
    ...lines.map((line) => pkt(`${line}\n`)),
    FLUSH,
  ])
}

async function bytesOf(answer: Awaited<ReturnType<Git['uploadPackOrFile']>>): Promise<Buffer> {
  if (answer instanceof Uint8Array) return Buffer.from(answer)
  return Buffer.from(
    'path' in answer
      ? await Bun.file(answer.path).arrayBuffer()
      : await new Response(answer).arrayBuffer(),
  )
}

const byThread = async (request: Uint8Array): Promise<Buffer> =>
  bytesOf(await host.git.uploadPackOrFile('one', snapshot, { protocol: 2, body: request }))
const atOnce = (request: Uint8Array, from: Git = patient): Uint8Array | null => {
  const answer = from.uploadPackSync('one', snapshot, { protocol: 2, body: request })
  expect(answer === null || answer instanceof Uint8Array).toBe(true)
  return answer as Uint8Array | null
}

test('the response from the main thread equals that of a thread byte for byte, for any request', async () => {
  const commits = (await git(source, 'rev-list', '--all'))
    .split('\n')
    .filter((oid) => oid !== hidden)
  const tree = await git(source, 'rev-parse', 'main~1:')
  const draw = random(11)
  const pick = (): string => commits[Math.floor(draw() * commits.length)] ?? ''
  let packs = 0
  for (let i = 0; i < 40; i++) {
    const options = [
      'thin-pack',
      'ofs-delta',
      'include-tag',
      'no-progress',
      'done',
      'wait-for-done',
      'filter blob:none',
      'filter tree:1',
    ].filter(() => draw() < 0.5)
    const lines = [
      ...options,
      `want ${pick()}`,
      ...Array.from({ length: Math.floor(draw() * 4) }, () => `have ${pick()}`),
    ]
    if (i % 10 === 0) lines.push(`want ${[hidden, tree, '1'.repeat(40)][(i / 10) % 3]}`)
    const now = atOnce(body(...lines))
    const later = await byThread(body(...lines))
    if (now === null) continue
    expect(Buffer.compare(now, later)).toBe(0)
    if (later.includes('PACK')) packs++
  }
  expect(packs).toBeGreaterThan(5)
})

test('objects of another fork are refused with the message of a thread, and never sent', async () => {
  for (const extra of [[], [`have ${hidden}`], [`have ${snapshot.refs[0]?.oid ?? ''}`]]) {
    const asked = body(`want ${hidden}`, ...extra, 'done')
    const now = atOnce(asked)
    expect(Buffer.from(now ?? '').toString()).toBe((await byThread(asked)).toString())
    expect(Buffer.from(now ?? '').toString()).toContain(`not our ref ${hidden}`)
  }
})

test('a repeated response is cached, for the same refs only', async () => {
  const asked = body(
    `want ${snapshot.refs.find(({ name }) => name === 'refs/heads/main')?.oid ?? ''}`,
    'done',
    'no-progress',
  )
  const first = atOnce(asked)
  expect(first).not.toBeNull()
  // The same memory: the response was not computed again.
  expect(atOnce(asked)).toBe(first as Uint8Array)
  const moved = {
    ...snapshot,
    generation: 'other',
    refs: snapshot.refs.filter(({ name }) => name !== 'refs/heads/main'),
  }
  expect(patient.uploadPackSync('one', moved, { protocol: 2, body: asked })).not.toBe(first)
})

test('threads serve fetches without time, with too many lines, and malformed ones', async () => {
  const main = snapshot.refs.find(({ name }) => name === 'refs/heads/main')?.oid ?? ''
  expect(atOnce(body(`want ${main}`, 'done'), beside(0))).toBeNull()
  const many = Array.from({ length: 2100 }, (_, i) => `have ${i.toString(16).padStart(40, '0')}`)
  expect(atOnce(body(`want ${main}`, ...many))).toBeNull()
  for (const bad of [
    Buffer.from('zzzz'),
    body('want x'),
    body('nonsense'),
    Buffer.concat([body(`want ${main}`), body(`want ${main}`)]),
    new Uint8Array(0),
  ])
    expect(atOnce(bad)).toBeNull()
  expect(atOnce(body(`want ${main}`, 'deepen 3', 'done'))).toBeNull()
})

test('a discarded fetch does not change later responses', async () => {
  // No time at all: every attempt is aborted somewhere, and the next one continues from the caches.
  const hurried = beside(0.001)
  const commits = (await git(source, 'rev-list', '--all'))
    .split('\n')
    .filter((oid) => oid !== hidden)
  for (let i = 0; i < 60; i++) {
    const lines = [
      'ofs-delta',
      'thin-pack',
      'no-progress',
      'done',
      `want ${commits[i % commits.length]}`,
      `have ${commits[(i * 7 + 3) % commits.length]}`,
    ]
    const now = atOnce(body(...lines), hurried)
    if (now !== null) expect(Buffer.compare(now, await byThread(body(...lines)))).toBe(0)
    expect(
      Buffer.compare(
        await bytesOf(
          await hurried.uploadPackOrFile('one', snapshot, { protocol: 2, body: body(...lines) }),
        ),
        await byThread(body(...lines)),
      ),
    ).toBe(0)
  }
})

test('a small request for a long history is served by a thread', async () => {
  const deep = join(work, 'deep')
  await git(work, 'init', '-q', '--bare', 'deep')
  const commits = Array.from(
    { length: 300 },
    (_, i) =>
      `commit refs/heads/long\ncommitter A <a@example.com> ${1700000000 + i} +0000\ndata 1\nx\n`,
  ).join('')
  const small =
    'commit refs/heads/small\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\ny\nM 100644 inline small\ndata 1\nz\n'
  const taken = await tryGit(deep, ['fast-import', '--quiet'], { input: `${commits}${small}` })
  expect(taken.code).toBe(0)
  await host.create('deep')
  await git(deep, 'push', '-q', host.remote('deep'), 'long', 'small')
  const refs = await host.snapshot('deep')
  const tip = (name: string): string =>
    refs.refs.find((ref) => ref.name === `refs/heads/${name}`)?.oid ?? ''
  const ask = (name: string, ...lines: string[]) =>
    patient.uploadPackSync('deep', refs, {
      protocol: 2,
      body: body(`want ${tip(name)}`, ...lines, 'done'),
    })
  expect(ask('small', `have ${tip('long')}`)).not.toBeNull()
  expect(ask('long', `have ${tip('small')}`)).toBeNull()
})

test("no fetch runs on the main thread while others wait for the engine's semaphore", async () => {
  const parties = beside(60_000, () => 'ada')
  const main = snapshot.refs.find(({ name }) => name === 'refs/heads/main')?.oid ?? ''
  // A principal may have one of the two slots. An unread archive occupies it until it is cancelled.
  const archive = (
    (await parties.archive('one', main, {
      format: 'tar',
      prefix: '',
    })) as ReadableStream<Uint8Array>
  ).getReader()
  while (parties.load().packs.running === 0) await new Promise((resolve) => setImmediate(resolve))
  const asked = body(`want ${main}`, 'done')
  expect(atOnce(asked, parties)).toBeNull()
  while (!(await archive.read()).done);
  while (parties.load().packs.running > 0) await new Promise((resolve) => setImmediate(resolve))
  expect(atOnce(asked, parties)).not.toBeNull()
})

test('git receives the same objects from the main thread', async () => {
  const quick = await startHost({ mainThreadFetchMs: 60_000 })
  try {
    await quick.create('two')
    const all = (await git(source, 'rev-list', '--first-parent', 'main')).split('\n')
    await git(source, 'push', '-q', quick.remote('two'), `${all[40]}:refs/heads/main`)
    const clone = join(work, 'quick')
    await git(work, 'clone', '-q', '--bare', quick.remote('two'), clone)
    for (const step of [39, 30, 5, 0]) {
      await git(source, 'push', '-q', quick.remote('two'), `${all[step]}:refs/heads/main`)
      await git(clone, 'fetch', '-q', quick.remote('two'), 'main:main')
      expect(await git(clone, 'rev-parse', 'main')).toBe(all[step] ?? '')
    }
    expect((await tryGit(clone, ['fsck', '--strict'])).code).toBe(0)
  } finally {
    await quick.close()
  }
})

test('a work budget bounds bytes, single objects and time', () => {
  const ample = { timeMs: 60_000, bytes: 4 << 20 }
  const spend = (meter: WorkBudget, bytes: number, times: number) => () => {
    for (let i = 0; i < times; i++) meter.spendBytes(bytes)
  }
  expect(spend(new WorkBudget(ample), 1 << 19, 8)).not.toThrow()
  expect(spend(new WorkBudget(ample), 1 << 19, 9)).toThrow(BudgetExceeded)
  expect(spend(new WorkBudget(ample), (1 << 20) + 1, 1)).toThrow(BudgetExceeded)
  const late = new WorkBudget({ ...ample, timeMs: -1 })
  expect(() => {
    for (let i = 0; i < 64; i++) late.countStep()
  }).toThrow(BudgetExceeded)
})
