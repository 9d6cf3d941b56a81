/**
 * Servers that do not keep to the protocol: each ends in a clear error, and nothing of what they
 * sent stays.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SpeedLimits } from '../../../src/git/client/speed-guard.ts'
import { DELIM, FLUSH, bandPackets, pkt } from '../../../src/git/protocol/pkt-line.ts'
import { makeHistory } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { outside } from '../support/outside.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

const OID = 'a'.repeat(40)
const TYPES = {
  adv: 'application/x-git-upload-pack-advertisement',
  result: 'application/x-git-upload-pack-result',
}
type Body = Buffer | string | ReadableStream<Uint8Array> | null
type Script = {
  adv?: () => Body
  advType?: string
  refs?: () => Body
  pack?: () => Body
  status?: number
  headers?: Record<string, string>
}

let host: TestHost
let work: string
let goodPack: Buffer
let goodTip: string
let script: Script = {}
const ADV = Buffer.concat([
  pkt('# service=git-upload-pack\n'),
  FLUSH,
  pkt('version 2\n'),
  pkt('ls-refs\n'),
  pkt('fetch\n'),
  FLUSH,
])
const refLines = (...lines: string[]): Buffer =>
  Buffer.concat([...lines.map((line) => pkt(`${line}\n`)), FLUSH])
const packAnswer = (pack: Uint8Array, end = true): Buffer =>
  Buffer.concat([pkt('packfile\n'), bandPackets(1, pack), ...(end ? [FLUSH] : [])])
const forever = (first: Uint8Array, part: Uint8Array): ReadableStream<Uint8Array> => {
  let begun = false
  return new ReadableStream({
    pull: (controller) => {
      controller.enqueue(begun ? part : first)
      begun = true
    },
  })
}
const silent = (first: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({ start: (controller) => controller.enqueue(first) })

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname.endsWith('/info/refs')) {
      return new Response((script.adv ? script.adv() : ADV) as BodyInit, {
        status: script.status ?? 200,
        headers: { 'content-type': script.advType ?? TYPES.adv, ...script.headers },
      })
    }
    const body = await request.text()
    const headers = { 'content-type': TYPES.result }
    if (body.includes('command=ls-refs'))
      return new Response(
        (script.refs ? script.refs() : refLines(`${goodTip} refs/heads/main`)) as BodyInit,
        { headers },
      )
    return new Response((script.pack ? script.pack() : packAnswer(goodPack)) as BodyInit, {
      headers,
    })
  },
})

beforeAll(async () => {
  work = scratch()
  const source = await makeHistory(work, 'source', { seed: 3, commits: 20, tags: false })
  goodTip = await git(source, 'rev-parse', 'main')
  await tryGit(source, ['update-ref', '-d', 'refs/heads/side'])
  await git(source, 'repack', '-adfq')
  await git(source, 'prune')
  const [name] = readdirSync(join(source, 'objects', 'pack')).filter((one) => one.endsWith('.pack'))
  goodPack = Buffer.from(await Bun.file(join(source, 'objects', 'pack', name ?? '')).bytes())
  host = await startHost({ maxPackBytes: 4 << 20 })
  await host.git.createStore('victim')
})

afterAll(async () => {
  await server.stop(true)
  await host.close()
  discard(work)
})

async function attempt(
  over: Script,
  options: { idle?: number; maxBytes?: number; maxRefs?: number; pace?: SpeedLimits } = {},
): Promise<{ message: string; code?: string }> {
  script = over
  let applied = false
  const error = await host.git
    .fetchFrom('victim', outside(options), {
      url: `http://127.0.0.1:${server.port}/x`,
      local: { generation: 'none', head: 'refs/heads/main', refs: [] },
      maxRefs: options.maxRefs,
      ...(options.pace ? { speedLimits: options.pace } : {}),
      apply: async () => {
        applied = true
      },
    })
    .then(
      () => null,
      (failure: Error & { code?: string }) => failure,
    )
  expect(applied).toBe(false)
  expect(error).toBeInstanceOf(Error)
  // Nothing in the store, and no temporary file either, once the thread has heard of it.
  await host.git.verify('victim', [])
  expect(readdirSync(join(host.root, 'victim', 'objects', 'pack'))).toEqual([])
  expect(readdirSync(join(host.root, '..', 'tmp', 'git'))).toEqual([])
  return { message: error?.message ?? '', code: error?.code }
}

test('the good server is taken, so that the others fail for their own reasons', async () => {
  script = {}
  await host.git.createStore('good')
  const fetched = await host.git.fetchFrom('good', outside(), {
    url: `http://127.0.0.1:${server.port}/x`,
    local: { generation: 'none', head: 'refs/heads/main', refs: [] },
    apply: async () => {},
  })
  expect(fetched.refs).toEqual([{ name: 'refs/heads/main', oid: goodTip, peeled: null }])
})

test('lines that are no packets', async () => {
  expect((await attempt({ adv: () => 'hello, this is no git' })).message).toContain('protocol')
  expect((await attempt({ adv: () => 'ffff# service' })).message).toContain('protocol')
  expect((await attempt({ adv: () => '001e# service=git-upload-p' })).message).toContain('cut off')
  expect(
    (await attempt({ adv: () => Buffer.concat([pkt('# service=git-upload-pack\n'), FLUSH]) }))
      .message,
  ).toContain('too early')
  expect((await attempt({ refs: () => refLines('not an id refs/heads/main') })).message).toContain(
    'malformed',
  )
  expect((await attempt({ refs: () => pkt(`${OID} refs/heads/main\n`) })).message).toContain(
    'too early',
  )
  expect((await attempt({ pack: () => pkt('nonsense\n') })).message).toContain('too early')
  expect(
    (await attempt({ pack: () => Buffer.concat([pkt('packfile\n'), pkt('\x07what')]) })).message,
  ).toContain('protocol')
  expect(
    (
      await attempt({
        pack: () =>
          Buffer.concat([pkt('packfile-uris\n'), pkt('https://evil.example/pack\n'), FLUSH]),
      })
    ).message,
  ).toContain('nobody asked')
})

test('what the server says about itself is passed on, without control characters', async () => {
  expect((await attempt({ adv: () => pkt('ERR access denied\x1b[31m\n') })).message).toBe(
    'the remote says: access denied [31m',
  )
  expect(
    (
      await attempt({
        pack: () =>
          Buffer.concat([pkt('packfile\n'), bandPackets(3, Buffer.from('out of\nmemory'))]),
      })
    ).message,
  ).toBe('the remote says: out of memory')
  expect((await attempt({ adv: () => '<html>', advType: 'text/html' })).message).toContain(
    'no git repository at this address',
  )
  expect((await attempt({ adv: () => 'busy', status: 503 })).message).toContain('status 503')
})

test('endless answers end at their limits', async () => {
  const line = pkt(`${OID} refs/heads/${'x'.repeat(60_000)}\n`)
  let i = 0
  const endlessRefs = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(pkt(`${OID} refs/heads/b${i++}\n`)),
    })
  expect((await attempt({ refs: endlessRefs }, { maxRefs: 1000 })).message).toContain(
    'more than 1000 refs',
  )
  expect(
    (await attempt({ refs: () => forever(line, line) }, { maxBytes: 1 << 20 })).message,
  ).toContain('more than 1048576 bytes')
  const block = bandPackets(1, new Uint8Array(60_000))
  expect(
    (
      await attempt({
        pack: () =>
          forever(
            Buffer.concat([pkt('packfile\n'), bandPackets(1, goodPack.subarray(0, 12))]),
            block,
          ),
      })
    ).message,
  ).toContain('what the remote sent is not taken')
  // A pack that announces more than there is, and goes on sending what could be right.
  const blob = Buffer.concat([
    Buffer.from([0xb0, 0xea, 0x01]),
    Bun.deflateSync(new Uint8Array(30_000)),
  ])
  expect(
    (
      await attempt({
        pack: () =>
          forever(
            Buffer.concat([
              pkt('packfile\n'),
              bandPackets(1, Buffer.from('PACK\0\0\0\x02\0\x90\0\0', 'latin1')),
            ]),
            bandPackets(1, blob),
          ),
      })
    ).message,
  ).toMatch(/not taken/)
  expect(
    (
      await attempt({
        pack: () =>
          Buffer.concat([
            pkt('packfile\n'),
            bandPackets(1, Buffer.from('PACK\0\0\0\x02\xff\xff\xff\xff', 'latin1')),
            FLUSH,
          ]),
      })
    ).message,
  ).toContain('objects')
})

test('a pack that is not right in every bit', async () => {
  const flipped = Buffer.from(goodPack)
  flipped[flipped.length - 1]! ^= 1
  expect((await attempt({ pack: () => packAnswer(flipped) })).message).toContain('checksum')
  expect(
    (await attempt({ pack: () => packAnswer(goodPack.subarray(0, goodPack.length - 30)) })).message,
  ).toContain('cut off')
  expect(
    (await attempt({ pack: () => packAnswer(goodPack.subarray(0, goodPack.length - 30), false) }))
      .message,
  ).toContain('too early')
  expect(
    (await attempt({ pack: () => packAnswer(Buffer.concat([goodPack, Buffer.from('more')])) }))
      .message,
  ).toContain('after the end')
  expect(
    (await attempt({ pack: () => Buffer.concat([pkt('packfile\n'), FLUSH]) })).message,
  ).toContain('cut off')
})

test('a pack without what its refs need', async () => {
  // The blob of one commit alone, and none of the rest.
  const path = join(work, 'source')
  const some = await tryGit(path, ['rev-list', '--objects', 'main', '--not', 'main~2'])
  const list = some.out
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' ')[0])
    .join('\n')
  const made = Bun.spawnSync(['git', 'pack-objects', '--stdout', '-q'], {
    cwd: path,
    stdin: Buffer.from(`${list}\n`),
  })
  expect((await attempt({ pack: () => packAnswer(made.stdout) })).message).toContain('missing')
  expect((await attempt({ refs: () => refLines(`${OID} refs/heads/main`) })).message).toContain(
    'did not send what refs/heads/main points at',
  )
})

test('silence and slow drops end when nothing has come for a while', async () => {
  expect(
    (await attempt({ adv: () => silent(pkt('# service=git-upload-pack\n')) }, { idle: 150 }))
      .message,
  ).toContain('was silent')
  expect(
    (
      await attempt(
        {
          pack: () =>
            silent(Buffer.concat([pkt('packfile\n'), bandPackets(1, goodPack.subarray(0, 500))])),
        },
        { idle: 150 },
      )
    ).message,
  ).toContain('was silent')
})

test('redirects lead only to repositories', async () => {
  const to = (location: string): Script => ({ adv: () => null, status: 302, headers: { location } })
  expect(
    (await attempt(to('https://10.0.0.1/x/info/refs?service=git-upload-pack'))).message,
  ).toContain('not a public address')
  expect(
    (await attempt(to('http://[::ffff:127.0.0.1]/x/info/refs?service=git-upload-pack'))).message,
  ).toContain('https')
  expect((await attempt(to('file:///etc/passwd'))).message).toContain('not reached from here')
  expect((await attempt(to('/elsewhere'))).message).toContain('redirect')
  expect((await attempt({ adv: () => null, status: 302 })).message).toContain(
    'redirects to nowhere',
  )
})

test('acknowledgments without end are an error', async () => {
  expect(
    (await attempt({ pack: () => Buffer.concat([pkt('acknowledgments\n'), pkt('NAK\n'), FLUSH]) }))
      .message,
  ).toContain('no pack')
  expect(
    (
      await attempt({
        pack: () => Buffer.concat([pkt('acknowledgments\n'), pkt('ready\n'), DELIM]),
      })
    ).message,
  ).toContain('too early')
})

test('one that lets a byte fall now and then is given up, before its pack and within', async () => {
  const drips = (parts: readonly Uint8Array[]): ReadableStream<Uint8Array> => {
    let at = 0
    return new ReadableStream({
      async pull(controller) {
        await Bun.sleep(5)
        const part = parts[at++]
        if (part === undefined) controller.close()
        else controller.enqueue(part)
      },
    })
  }
  // Each would go on for a minute or so.
  const hums = [
    pkt('packfile\n'),
    ...Array.from({ length: 12_000 }, () => bandPackets(2, Buffer.from('counting\n'))),
  ]
  const offers = [
    pkt('# service=git-upload-pack\n'),
    FLUSH,
    pkt('version 2\n'),
    ...Array.from({ length: 12_000 }, (_, i) => pkt(`feature-${i}\n`)),
  ]
  const pace = { windowMs: 50, minBytesPerSecond: 10_000, maxPreparationMs: 1e9 }
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\x01')
  const slow = [
    pkt('packfile\n'),
    ...Array.from(header, (byte) => bandPackets(1, Uint8Array.of(byte))),
    ...Array.from({ length: 12_000 }, () => bandPackets(2, Buffer.from('on\n'))),
  ]
  expect((await attempt({ pack: () => drips(slow) }, { pace })).message).toContain(
    'less than 10000 bytes a second',
  )
  const preparing = { ...pace, maxPreparationMs: 50 }
  expect((await attempt({ pack: () => drips(hums) }, { pace: preparing })).message).toContain(
    'to begin',
  )
  expect((await attempt({ adv: () => drips(offers) }, { pace: preparing })).message).toContain(
    'to begin',
  )
})
