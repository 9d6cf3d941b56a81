/** Pushes and fetches of clients that keep their side of the connection open. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFetchRequests, type Push, type RefSnapshot } from '#git'
import { startHost, type TestHost } from '../support/host.ts'
import { git } from '../support/real-git.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const directory = mkdtempSync(join(tmpdir(), 'hearth-talk-'))
const work = join(directory, 'work')
const EMPTY: RefSnapshot = { generation: 'empty', head: 'refs/heads/main', refs: [] }
let host: TestHost
let head = ''
let pack: Uint8Array

const pkt = (text: string): Buffer =>
  Buffer.from((Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text)
const flush = Buffer.from('0000')

beforeAll(async () => {
  host = await startHost()
  await git(directory, 'init', '-q', '-b', 'main', 'work')
  writeFileSync(join(work, 'a.txt'), 'hello\n')
  await git(work, 'add', '.')
  await git(work, 'commit', '-q', '-m', 'first')
  head = (await git(work, 'rev-parse', 'HEAD')).trim()
  const packing = Bun.spawn(['git', 'pack-objects', '--revs', '--stdout', '-q'], {
    cwd: work,
    stdin: Buffer.from(`${head}\n`),
    stdout: 'pipe',
  })
  pack = await new Response(packing.stdout).bytes()
})
afterAll(async () => {
  await host.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Sends parts and keeps the stream open. */
function openBody(...parts: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(Uint8Array.from(part))
    },
  })
}

const command = (): Buffer =>
  Buffer.concat([pkt(`${'0'.repeat(40)} ${head} refs/heads/main\0 report-status\n`), flush])

async function pushInto(store: string, body: ReadableStream<Uint8Array>) {
  await host.create(store)
  const pushes: Push[] = []
  const report = host.git.receivePack(store, EMPTY, {
    protocol: 0,
    body,
    isConversation: true,
    apply: async (push) => {
      pushes.push(push)
      return push.updates.map(({ name }) => ({ name, refused: null }))
    },
  })
  return { pushes, report: await new Response(report).text() }
}

test('a push ends with its pack', async () => {
  const half = Math.floor(pack.length / 2)
  const { pushes, report } = await pushInto(
    'whole',
    openBody(command(), pack.subarray(0, half), pack.subarray(half)),
  )
  expect(report).toContain('unpack ok')
  expect(pushes).toHaveLength(1)
})

test('a damaged pack is refused while the client waits', async () => {
  const damaged = Uint8Array.from(pack)
  damaged[damaged.length - 1] = (damaged[damaged.length - 1] ?? 0) ^ 1
  const { pushes, report } = await pushInto('damaged', openBody(command(), damaged))
  expect(report).toContain('ng refs/heads/main')
  expect(report).not.toContain('unpack ok')
  expect(pushes).toEqual([])
})

const requests = async (protocol: 0 | 2, ...parts: Uint8Array[]): Promise<string[]> => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(Uint8Array.from(part))
      controller.close()
    },
  })
  const found: string[] = []
  for await (const request of readFetchRequests(body, protocol))
    found.push(Buffer.from(request).toString())
  return found
}

test('each command of version 2 is a request, and a flush ends the conversation', async () => {
  const list = Buffer.concat([pkt('command=ls-refs\n'), flush])
  const fetch = Buffer.concat([pkt('command=fetch\n'), Buffer.from('0001'), pkt('done\n'), flush])
  expect(await requests(2, list, fetch, flush, list)).toEqual([String(list), String(fetch)])
})

test('a request of version 0 holds all that was said, and wants alone are none', async () => {
  const want = Buffer.concat([pkt(`want ${'1'.repeat(40)} multi_ack\n`), flush])
  const have = Buffer.concat([pkt(`have ${'2'.repeat(40)}\n`), flush])
  const done = pkt('done\n')
  expect(await requests(0, want, have, have, done, have)).toEqual([
    String(Buffer.concat([want, have])),
    String(Buffer.concat([want, have, have])),
    String(Buffer.concat([want, have, have, done])),
  ])
  const deepen = Buffer.concat([pkt(`want ${'1'.repeat(40)}\n`), pkt('deepen 1\n'), flush])
  expect(await requests(0, deepen, done)).toEqual([
    String(deepen),
    String(Buffer.concat([deepen, done])),
  ])
  expect(await requests(0, flush)).toEqual([])
})
