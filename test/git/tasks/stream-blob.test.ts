import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { GitError, Oid } from '#git'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch } from '../support/real-git.ts'

const who = { name: 'Eve', email: 'eve@example.org', time: 1_600_000_000, zone: '+0000' }
const MIB = 1024 * 1024

let host: TestHost
let work: string
beforeAll(() => void (work = scratch()))
beforeEach(async () => {
  host = await startHost()
  await host.create('one')
})
afterEach(() => host.close())
afterAll(() => discard(work))

/** Bytes that compress a little and differ everywhere. */
function noise(bytes: number): Buffer {
  const data = Buffer.alloc(bytes)
  for (let at = 0; at + 8 <= bytes; at += 16)
    data.writeUInt32LE(Math.imul(at, 2654435761) >>> 0, at)
  return data
}

async function put(parent: Oid | null, data: Buffer): Promise<{ commit: Oid; oid: Oid }> {
  const { commit } = await host.git.commitFiles('one', {
    parent,
    changes: [{ action: 'put', path: 'file', data }],
    message: 'file',
    author: who,
    committer: who,
  })
  const entry = await host.git.findEntry('one', commit, 'file')
  return { commit, oid: entry?.oid ?? '' }
}

const read = async (oid: Oid, start: number, length: number): Promise<Buffer> => {
  const body = await host.git.streamBlob('one', oid, { start, length })
  return Buffer.from(body instanceof Uint8Array ? body : await new Response(body).bytes())
}

test('parts of a blob of any size are those of the blob', async () => {
  for (const size of [0, 10, 65_536, 65_537, MIB + 1, 5 * MIB]) {
    const data = noise(size)
    const { oid } = await put(null, data)
    for (const [start, end] of [
      [0, size],
      [Math.min(3, size), Math.min(70_000, size)],
      [Math.max(0, size - 5), size],
      [size, size],
    ] as const) {
      const part = await read(oid, start, end - start)
      expect(part.equals(data.subarray(start, end))).toBeTrue()
    }
  }
})

test('a large blob that is stored as a delta is streamed too', async () => {
  const first = noise(3 * MIB)
  const second = Buffer.concat([first.subarray(0, MIB), Buffer.from('new'), first.subarray(MIB)])
  const { commit } = await put(null, first)
  const { commit: tip, oid } = await put(commit, second)
  await host.git.maintain('one', [tip], {})
  const packs = join(host.root, 'one', 'objects', 'pack')
  const [index = ''] = readdirSync(packs).filter((name) => name.endsWith('.idx'))
  const deltas = await git(work, 'verify-pack', '-v', join(packs, index))
  expect(deltas).toContain('chain length = 1')
  for (const { data, id } of [
    { data: first, id: (await host.git.findEntry('one', commit, 'file'))?.oid ?? '' },
    { data: second, id: oid },
  ]) {
    expect((await read(id, 0, data.length)).equals(data)).toBeTrue()
    expect((await read(id, MIB - 2, 10)).equals(data.subarray(MIB - 2, MIB + 8))).toBeTrue()
  }
})

test('what is no blob, and what is outside of one, is refused', async () => {
  const { commit, oid } = await put(null, noise(100))
  const codeOf = (reading: Promise<Buffer>) =>
    reading.then(
      () => null,
      (error: GitError) => error.code,
    )
  expect(await codeOf(read('1'.repeat(40), 0, 1))).toBe('missing')
  expect(await codeOf(read(commit, 0, 1))).toBe('missing')
  expect(await codeOf(read(oid, 90, 11))).toBe('invalid')
})
