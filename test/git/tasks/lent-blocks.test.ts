/** Blocks of output that the event loop lends to the threads of the engine. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createGit } from '#git'
import { releaseBuffer } from '#lib/pieces.ts'
import { MAX_USED_BLOCKS } from '#lib/threads/shared-blocks.ts'
import type { FetchRequest } from '../../../src/git/protocol/fetch-request.ts'
import { resolveSettings } from '../../../src/git/settings.ts'
import { ThreadPool } from '../../../src/git/tasks/thread-pool.ts'
import { discard, scratch } from '../support/real-git.ts'

const FILE_BYTES = 12_000_000

const work = scratch()
const root = join(work, 'stores')
let pool: ThreadPool
let commit: string
let expected: string

const REQUEST: Omit<FetchRequest, 'wants'> = {
  protocol: 2,
  negotiation: [],
  done: true,
  waitForDone: false,
  progress: false,
  includeTag: false,
  band: 'large',
  sidebandAll: false,
  multiAck: 'none',
  noDone: false,
  thin: false,
  ofsDelta: true,
  shallow: new Uint8Array(),
  depth: 0,
  deepenRelative: false,
  deepenSince: null,
  deepenNot: [],
  filter: null,
  wantedRefs: new Uint8Array(),
}

const hashOf = (chunks: Iterable<Uint8Array>): string => {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

const clone = (output: (chunk: Uint8Array, taken: () => void) => void, threads = pool) =>
  threads.start<boolean>(
    'fetch',
    {
      store: 'one',
      request: { ...REQUEST, wants: Buffer.from(commit, 'hex') },
      names: { tips: Buffer.from(commit, 'hex'), tags: new Uint8Array() },
    },
    output,
  )

beforeAll(async () => {
  const git = createGit({ root, tmp: join(work, 'tmp'), workers: 0 })
  await git.createStore('one')
  const data = Buffer.alloc(FILE_BYTES)
  for (let at = 0; at < FILE_BYTES; at += 65_536)
    crypto.getRandomValues(data.subarray(at, Math.min(FILE_BYTES, at + 65_536)))
  const who = { name: 'Eve', email: 'eve@example.org', time: 1_600_000_000, zone: '+0000' }
  ;({ commit } = await git.commitFiles('one', {
    parent: null,
    changes: [{ action: 'put', path: 'file', data }],
    message: 'first',
    author: who,
    committer: who,
  }))
  await git.close()
  const { engine } = resolveSettings({ root, tmp: join(work, 'tmp') })
  pool = new ThreadPool(engine, 2, (fault) => {
    throw new Error(fault)
  })
  const kept: Uint8Array[] = []
  await clone((chunk, taken) => {
    kept.push(chunk)
    taken()
  }).result
  // A receiver that releases nothing may keep all that it has got.
  expected = hashOf(kept)
  const lengths = kept.reduce((sum, chunk) => sum + chunk.length, 0)
  expect(lengths).toBeGreaterThan(FILE_BYTES)
})

afterAll(async () => {
  await pool.close()
  discard(work)
})

test('a response that is released block by block is whole, and takes little new memory', async () => {
  for (let round = 0; round < 2; round++) {
    const hash = createHash('sha256')
    const buffers = new Set<ArrayBufferLike>()
    let blocks = 0
    await clone((chunk, taken) => {
      blocks++
      buffers.add(chunk.buffer)
      hash.update(chunk)
      releaseBuffer(chunk)
      taken()
    }).result
    expect(hash.digest('hex')).toBe(expected)
    expect(blocks).toBeGreaterThan(40)
    expect(buffers.size).toBeLessThan(blocks / 2)
  }
})

test('what a receiver has not released is not written to, while others come and go', async () => {
  /** Takes late, and keeps every third block. */
  async function slowly(): Promise<void> {
    const hash = createHash('sha256')
    const kept: { chunk: Uint8Array; hash: string }[] = []
    let last = Promise.resolve()
    let blocks = 0
    const handle = clone((chunk, taken) => {
      last = last.then(async () => {
        await new Promise((resolve) => setImmediate(resolve))
        hash.update(chunk)
        if (blocks++ % 3 === 0) kept.push({ chunk, hash: hashOf([chunk]) })
        else releaseBuffer(chunk)
        taken()
      })
    })
    await handle.result
    await last
    expect(hash.digest('hex')).toBe(expected)
    for (const one of kept) expect(hashOf([one.chunk])).toBe(one.hash)
  }
  /** Is cancelled while blocks are at both sides. */
  async function cancelled(): Promise<void> {
    const held: Uint8Array[] = []
    const handle = clone((chunk, taken) => {
      held.push(chunk)
      if (held.length < 12) {
        releaseBuffer(chunk)
        taken()
      } else if (held.length === 12) handle.cancel()
    })
    expect(await handle.result.catch(({ code }) => code)).toBe('aborted')
    for (const chunk of held) releaseBuffer(chunk)
  }
  for (let round = 0; round < 4; round++)
    await Promise.all([slowly(), cancelled(), slowly(), cancelled(), slowly()])
})

test('clients that go away in the middle, many times, take no blocks from the next', async () => {
  for (let at = 0; at < MAX_USED_BLOCKS + 10; at++) {
    const handle = clone(({ buffer, length }, taken) => {
      if (buffer instanceof SharedArrayBuffer) handle.cancel()
      else if (length > 0) taken()
    })
    expect(await handle.result.catch(({ code }) => code)).toBe('aborted')
  }
  let lent = 0
  await clone((chunk, taken) => {
    if (chunk.buffer instanceof SharedArrayBuffer) lent++
    releaseBuffer(chunk)
    taken()
  }).result
  expect(lent).toBeGreaterThan(20)
})

test('blocks that a failed thread had are lent to nobody again', async () => {
  const threads: Worker[] = []
  const { Worker: RealWorker } = globalThis
  globalThis.Worker = class extends RealWorker {
    constructor(...options: ConstructorParameters<typeof Worker>) {
      super(...options)
      threads.push(this)
    }
  }
  const { engine } = resolveSettings({ root, tmp: join(work, 'tmp') })
  const failing = new ThreadPool(engine, 1, () => {})
  const fetch = (output: (chunk: Uint8Array, taken: () => void) => void) =>
    clone(output, failing).result
  /** With the task when its thread fails: it may write them for a moment. */
  const lent = new Set<ArrayBufferLike>()
  let blocks = 0
  const failed = fetch((chunk, taken) => {
    if (++blocks === 20) threads[0]?.terminate()
    // From here on, what comes stays here.
    if (blocks >= 20) return
    if (chunk.buffer instanceof SharedArrayBuffer) lent.add(chunk.buffer)
    releaseBuffer(chunk)
    taken()
  })
  expect(await failed.catch(({ message }) => message)).toContain(
    'a worker of the git engine failed',
  )
  globalThis.Worker = RealWorker
  expect(lent.size).toBeGreaterThan(0)
  const used = new Set<ArrayBufferLike>()
  for (let round = 0; round < 3; round++) {
    const hash = createHash('sha256')
    await fetch((chunk, taken) => {
      used.add(chunk.buffer)
      hash.update(chunk)
      releaseBuffer(chunk)
      taken()
    })
    expect(hash.digest('hex')).toBe(expected)
  }
  expect([...lent].filter((memory) => used.has(memory))).toEqual([])
  await failing.close()
})
