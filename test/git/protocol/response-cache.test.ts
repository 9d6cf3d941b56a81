import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  bufferOrStreamResponse,
  type ResponseSink,
} from '../../../src/git/protocol/response-stream.ts'
import { pkt } from '../../../src/git/protocol/pkt-line.ts'
import { ResponseCache } from '../../../src/git/protocol/response-cache.ts'
import type { ProduceResponse } from '../../../src/git/protocol/shared-response.ts'
import { makeHistory } from '../support/history.ts'
import { startHost } from '../support/host.ts'
import { git } from '../support/real-git.ts'

let directory: string
let answers: ResponseCache

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hearth-answers-'))
  answers = new ResponseCache({ directory, diskBytes: 8 << 20, memoryBytes: 4 << 20 })
})

afterEach(() => {
  answers.close()
  rmSync(directory, { recursive: true, force: true })
})

/** A reader that takes at once, or only when it is told to. */
class Reader implements ResponseSink {
  bytes = 0
  readonly hash = new Bun.CryptoHasher('sha1')
  private waiting: (() => void)[] = []
  private handlers: (() => void)[] = []
  private gone = false

  constructor(private slow = false) {}

  put(block: Uint8Array, taken?: () => void): void {
    if (this.gone) return taken?.()
    this.bytes += block.length
    this.hash.update(block)
    if (taken && this.slow) this.waiting.push(taken)
    else taken?.()
  }

  onCancel(handler: () => void): void {
    this.handlers.push(handler)
  }

  hurry(): void {
    this.slow = false
    for (const taken of this.waiting.splice(0)) taken()
  }

  leave(): void {
    this.gone = true
    for (const handler of this.handlers) handler()
    this.hurry()
  }

  get sum(): string {
    return this.hash.digest('hex')
  }
}

/** Makes `blocks` blocks of 64 KiB, as fast as they are taken; counts how often it was asked to. */
function maker(blocks: number, keep = true): ProduceResponse & { runs: number; aborted: number } {
  const make = async (out: ResponseSink, signal: AbortSignal): Promise<boolean> => {
    made.runs++
    out.onCancel(() => made.aborted++)
    for (let at = 0; at < blocks && !signal.aborted; at++) {
      const block = new Uint8Array(65536).fill(at % 251)
      await new Promise<void>((taken) => out.put(block, taken))
    }
    return keep
  }
  const made = Object.assign(make, { runs: 0, aborted: 0 })
  return made
}

const whole = (blocks: number): string => {
  const hash = new Bun.CryptoHasher('sha1')
  for (let at = 0; at < blocks; at++) hash.update(new Uint8Array(65536).fill(at % 251))
  return hash.digest('hex')
}

async function ask(key: string, make: ProduceResponse, reader = new Reader()): Promise<Reader> {
  await answers.respond('store', key, reader, make)
  return reader
}

test('a small answer is made once and given again from memory', async () => {
  const make = maker(3)
  expect((await ask('a', make)).sum).toBe(whole(3))
  expect((await ask('a', make)).sum).toBe(whole(3))
  expect(make.runs).toBe(1)
  expect((await ask('b', make)).sum).toBe(whole(3))
  expect(make.runs).toBe(2)
  expect(readdirSync(directory)).toEqual([])
})

test('a large answer leaves nothing the first time, and is a file from the second on', async () => {
  const make = maker(40)
  expect((await ask('a', make)).sum).toBe(whole(40))
  expect(readdirSync(directory)).toEqual([])
  expect(answers.getFile('a')).toBeNull()
  expect((await ask('a', make)).sum).toBe(whole(40))
  const file = answers.getFile('a')
  expect(file?.size).toBe(40 * 65536)
  expect(
    new Bun.CryptoHasher('sha1').update(await Bun.file(file?.path ?? '').bytes()).digest('hex'),
  ).toBe(whole(40))
  expect((await ask('a', make)).sum).toBe(whole(40))
  expect(make.runs).toBe(2)
})

test('those who ask at once share one making, and a slow one holds nobody back', async () => {
  const make = maker(40)
  await ask('a', make)
  const slow = new Reader(true)
  const lagging = ask('a', make, slow)
  const quick = await Promise.all([ask('a', make), ask('a', make), ask('a', make)])
  expect(quick.map((reader) => reader.bytes)).toEqual([40 * 65536, 40 * 65536, 40 * 65536])
  expect(slow.bytes).toBeLessThan(40 * 65536)
  slow.hurry()
  await lagging
  expect(slow.sum).toBe(whole(40))
  expect(make.runs).toBe(2)
})

test('the one who asked first may go away: the others get everything', async () => {
  const make = maker(40)
  await ask('a', make)
  const first = new Reader(true)
  const started = ask('a', make, first)
  const second = ask('a', make)
  first.leave()
  await started
  expect((await second).sum).toBe(whole(40))
})

test('when all go away the making ends, and nothing is kept', async () => {
  const make = maker(4000)
  const reader = new Reader(true)
  const asked = ask('a', make, reader)
  while (reader.bytes === 0) await Bun.sleep(1)
  reader.leave()
  await asked
  expect(make.aborted).toBe(1)
  expect(answers.getFile('a')).toBeNull()
  expect((await ask('a', maker(3))).sum).toBe(whole(3))
})

test('what is not to be kept is made each time', async () => {
  const make = maker(2, false)
  expect((await ask('a', make)).sum).toBe(whole(2))
  expect((await ask('a', make)).sum).toBe(whole(2))
  expect(make.runs).toBe(2)
})

test('a failure reaches everyone who waits, and the next one tries again', async () => {
  const bad: ProduceResponse = async (out) => {
    out.put(new Uint8Array(10))
    await Bun.sleep(1)
    throw new Error('the disk is gone')
  }
  const outcomes = await Promise.allSettled([ask('a', bad), ask('a', bad)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect((await ask('a', maker(3))).sum).toBe(whole(3))
})

test('a failure while its first block is written leaves no file, neither there nor open', async () => {
  const bad: ProduceResponse = async (out) => {
    for (let at = 0; at < 10; at++) out.put(new Uint8Array(65536))
    throw new Error('the disk is gone')
  }
  const reader = new Reader()
  await expect(answers.respond('store', 'a', reader, bad, { isRepeated: true })).rejects.toThrow(
    'the disk is gone',
  )
  expect((await ask('b', maker(40))).sum).toBe(whole(40))
  const openFiles = (): string[] =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      const link = `/proc/self/fd/${fd}`
      return existsSync(link) && readlinkSync(link).startsWith(directory) ? [link] : []
    })
  while (readdirSync(directory).length > 0 || openFiles().length > 0) await Bun.sleep(1)
  expect(answers.getFile('a')).toBeNull()
}, 20_000)

test('files stay within their bound, the one used least lately goes first', async () => {
  for (const key of ['a', 'b', 'c', 'd'])
    for (let times = 0; times < 2; times++) await ask(key, maker(50))
  expect(['a', 'b', 'c', 'd'].map((key) => answers.getFile(key) !== null)).toEqual([
    false,
    false,
    true,
    true,
  ])
  answers.removeStore('store')
  expect(answers.getFile('d')).toBeNull()
})

/** A file that is removed after the listing counts as nothing. */
const sizeOf = (name: string): number =>
  statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0

const onDisk = (): number => readdirSync(directory).reduce((sum, name) => sum + sizeOf(name), 0)

test('what is being written stays within the bound too: the rest of a larger answer goes past the file, to all its readers', async () => {
  let most = 0
  const inner = maker(400)
  const make: ProduceResponse = (out, signal) =>
    inner(
      {
        put: (block, taken) => {
          most = Math.max(most, onDisk())
          out.put(block, taken)
        },
        onCancel: out.onCancel.bind(out),
      },
      signal,
    )
  const slow = new Reader(true)
  const first = ask('a', make, slow)
  const others = [ask('a', make), ask('a', make)]
  while (slow.bytes === 0) await Bun.sleep(1)
  slow.hurry()
  await first
  const sums = (await Promise.all(others)).map((reader) => reader.sum)
  expect([slow.sum, ...sums]).toEqual([whole(400), whole(400), whole(400)])
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(8 << 20)
  expect(answers.getFile('a')).toBeNull()
  while (onDisk() > 0) await Bun.sleep(1)
})

test('a reader that leaves at the bound holds up nobody', async () => {
  const make = maker(400)
  await ask('a', maker(1, false))
  const stuck = new Reader(true)
  const asked = ask('a', make, stuck)
  const other = ask('a', make)
  while (onDisk() < 3 << 20) await Bun.sleep(1)
  stuck.leave()
  await asked
  expect((await other).sum).toBe(whole(400))
})

test('a file whose path was just given out is not removed to make room', async () => {
  for (let times = 0; times < 2; times++) await ask('a', maker(50))
  const file = answers.getFile('a')
  if (file === null) throw new Error('no file')
  for (const key of ['b', 'c', 'd'])
    for (let times = 0; times < 2; times++) await ask(key, maker(50))
  expect(new Bun.CryptoHasher('sha1').update(readFileSync(file.path)).digest('hex')).toBe(whole(50))
  answers.removeStore('store')
  expect(answers.getFile('a')).toBeNull()
  expect(existsSync(file.path)).toBe(true)
  expect(onDisk()).toBeLessThanOrEqual(8 << 20)
})

test('a file that somebody took away is made again', async () => {
  const make = maker(50)
  for (let times = 0; times < 2; times++) await ask('a', make)
  rmSync(answers.getFile('a')?.path ?? '')
  expect(answers.getFile('a')).toBeNull()
  expect((await ask('a', make)).sum).toBe(whole(50))
})

test('clients that come at any moment of the making get the same bytes', async () => {
  // As the engine's threads hand blocks over: small at first, each in a buffer of its own, which is
  // gone once it was passed on.
  const sizes = [16_384, 65_520, 262_080, 262_080, 262_080, 262_080, 20_000]
  const content = (at: number): Buffer => Buffer.allocUnsafeSlow(sizes[at] ?? 0).fill(at + 1)
  const hashOf = (bytes: Uint8Array): string => Bun.SHA1.hash(bytes, 'hex')
  const all = hashOf(Buffer.concat(sizes.map((_, at) => content(at))))
  let asked = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const round = new URL(request.url).pathname
      const make: ProduceResponse = async (out) => {
        for (const at of sizes.keys()) {
          for (let turns = (asked + at) % 4; turns > 0; turns--)
            await new Promise((turn) => setImmediate(turn))
          await new Promise<void>((taken) => out.put(content(at), taken))
        }
        return true
      }
      asked++
      return new Response(
        (await bufferOrStreamResponse((sink) =>
          answers.respond('s', round, sink, make),
        )) as BodyInit,
      )
    },
  })
  for (let round = 0; round < 40; round++) {
    const got = await Promise.all(
      Array.from({ length: 4 }, async (_, client) => {
        for (let turns = (round * client) % 13; turns > 0; turns--)
          await new Promise((turn) => setImmediate(turn))
        return hashOf(await (await fetch(`${server.url}${round}`)).bytes())
      }),
    )
    expect(got).toEqual([all, all, all, all])
  }
  await server.stop(true)
})

test('without any disk nothing is written, and everyone still gets the whole answer', async () => {
  const none = new ResponseCache({ directory, diskBytes: 0, memoryBytes: 4 << 20 })
  const make = maker(40)
  const readers = [new Reader(), new Reader(), new Reader(true)]
  const asked = readers.map((reader) => none.respond('store', 'a', reader, make))
  await Promise.all(asked.slice(0, 2))
  readers[2]?.hurry()
  await asked[2]
  expect(readers.map((reader) => reader.sum)).toEqual([whole(40), whole(40), whole(40)])
  expect(readdirSync(directory)).toEqual([])
  none.close()
})

test('a clone is the same from the thread, from memory and from the file, and a moved ref makes it anew', async () => {
  const host = await startHost()
  try {
    await host.create('one')
    const source = await makeHistory(directory, 'source', { seed: 11, commits: 40 })
    await git(source, 'push', '-q', '--mirror', host.remote('one'))
    const clone = async (name: string): Promise<string> => {
      await git(directory, 'clone', '-q', '--mirror', host.remote('one'), name)
      await git(join(directory, name), 'fsck', '--strict')
      return await git(join(directory, name), 'for-each-ref')
    }
    const refs = await clone('first')
    expect(await clone('second')).toBe(refs)
    expect(await clone('third')).toBe(refs)
    await git(source, 'push', '-q', host.remote('one'), 'HEAD~3:refs/heads/moved')
    expect(await clone('fourth')).toContain('refs/heads/moved')

    const snapshot = await host.snapshot('one')
    const asked = Buffer.concat([
      pkt('command=fetch'),
      Buffer.from('0001'),
      pkt(`want ${'1'.repeat(40)}`),
      pkt('done'),
      Buffer.from('0000'),
    ])
    const refused = async () => {
      const body = new Blob([asked]).stream() as ReadableStream<Uint8Array>
      return await new Response(host.git.uploadPack('one', snapshot, { protocol: 2, body })).text()
    }
    expect(await refused()).toContain('not our ref')
    expect(await refused()).toContain('not our ref')
  } finally {
    await host.close()
  }
})

test('nothing kept outlives the engine', async () => {
  const host = await startHost()
  const tmp = join(host.root, '..', 'tmp')
  await host.close()
  expect(existsSync(tmp)).toBe(false)
})
