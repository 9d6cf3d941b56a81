import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { FLUSH, pkt } from '../../../src/git/protocol/pkt-line.ts'
import { makeHistory, objectsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { makePack } from '../support/packs.ts'
import { ZERO } from '../support/raw.ts'
import { discard, git, scratch } from '../support/real-git.ts'

let host: TestHost
let work: string

beforeAll(async () => {
  work = scratch()
  host = await startHost({ concurrency: 2 })
  await host.create('one')
})

afterAll(async () => {
  await host.close()
  discard(work)
})

const temporaries = () => readdirSync(join(host.root, '..', 'tmp', 'git'))

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(5)
}

test('a sender that goes away in the middle leaves nothing', async () => {
  const pack = makePack(
    Array.from(
      { length: 30 },
      () => ({ type: 'blob', data: crypto.getRandomValues(new Uint8Array(50_000)) }) as const,
    ),
  )
  const head = Buffer.concat([pkt(`${ZERO} ${'1'.repeat(40)} refs/heads/x\0report-status`), FLUSH])
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1')
  socket.write(
    `POST /one/git-receive-pack HTTP/1.1\r\nHost: x\r\nContent-Length: ${head.length + pack.length}\r\n\r\n`,
  )
  socket.write(head)
  socket.write(pack.subarray(0, 800_000))
  await until(() => temporaries().length > 0)
  socket.destroy()
  await until(() => temporaries().length === 0)
  expect(readdirSync(join(host.root, 'one', 'objects', 'pack'))).toEqual([])
})

test('readers that go away free their place for others', async () => {
  const source = await makeHistory(work, 'source', { seed: 3, commits: 30 })
  await git(source, 'push', '-q', '--mirror', host.remote('one'))
  const tips = [...host.refs.get('one')!.values()]
  for (let i = 0; i < 6; i++) {
    const lines = [...tips.map((tip) => pkt(`want ${tip}\n`)), pkt('done\n')]
    const body = Buffer.concat([pkt('command=fetch\n'), Buffer.from('0001'), ...lines, FLUSH])
    const snapshot = await host.snapshot('one')
    const stream = host.git.uploadPack('one', snapshot, {
      protocol: 2,
      body: new Blob([body]).stream() as ReadableStream<Uint8Array>,
    })
    const reader = stream.getReader()
    if (i % 2) await reader.read()
    await reader.cancel()
  }
  const copy = join(work, 'copy')
  await git(work, 'clone', '-q', '--mirror', host.remote('one'), copy)
  expect(await objectsOf(copy)).toEqual(await objectsOf(source))
})
