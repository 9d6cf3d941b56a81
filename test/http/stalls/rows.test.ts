/**
 * Requests that once stopped or filled a forge: each takes less than 50 ms of CPU in one turn of the
 * event loop, and less than 64 MiB of memory.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { zip } from '../../features/packages/formats/archives.ts'
import { git, withToken } from '../../../scripts/support/git.ts'
import { type MeasuredForge, startMeasuredForge } from './measured-forge.ts'

const MAX_TURN_MS = 50
/** Of what can be refused without parsing it. */
const MAX_SHORT_TURN_MS = 15
const MAX_MORE_MIB = 64
const TRIES = 4
const MIB = 1024 ** 2
const JSON_TYPE = 'application/json'
const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json'

let forge: MeasuredForge

/** A repository with a file of 48 MiB and a commit whose first line has 20 MB. */
async function seed(): Promise<void> {
  await forge.seed('POST', '/v1/repos', { workspace: 'acme', name: 'site', private: false })
  const work = join(forge.directory, 'work')
  await git(forge.directory, 'init', '-q', '-b', 'main', work)
  writeFileSync(join(work, 'large.bin'), crypto.getRandomValues(new Uint8Array(65_536)))
  const block = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
  writeFileSync(join(work, 'large.bin'), Buffer.concat(new Array<Buffer>(768).fill(block)))
  writeFileSync(
    join(work, 'CODEOWNERS'),
    `${'/'.repeat(60_000)} @ada\n${'**/*a'.repeat(2_000)} @ada\n`,
  )
  writeFileSync(join(work, 'wide.js'), `let a = "${'a'.repeat(400_000)}"\n`)
  writeFileSync(join(forge.directory, 'message'), 'm'.repeat(20_000_000))
  await git(work, 'add', '.')
  await git(work, 'commit', '-q', '-m', 'Begin')
  writeFileSync(join(work, 'wide.js'), `let a = "${'ab'.repeat(200_000)}"\n`)
  await git(work, 'commit', '-q', '-a', '-F', join(forge.directory, 'message'))
  await git(work, 'push', '-q', withToken(`${forge.url}/acme/site.git`, forge.token), 'main')
}

beforeAll(async () => {
  forge = await startMeasuredForge()
  await seed()
  // What first requests load and compile is no attack.
  for (const path of ['', '/issues', '/commits/main', '/code-owners', '/raw/main/wide.js'])
    await get(path)
}, 120_000)
afterAll(() => forge?.stop())

const get = async (path: string): Promise<{ status: number; bytes: number }> => {
  const response = await fetch(`${forge.url}/acme/site${path}`, {
    headers: { cookie: forge.cookie },
    redirect: 'manual',
  })
  return { status: response.status, bytes: (await response.bytes()).length }
}

/** Runs an attack and expects that nobody would have noticed. */
async function expectHarmless(
  attack: () => Promise<void>,
  maxTurnMs: number = MAX_TURN_MS,
): Promise<void> {
  let [turnMs, moreMiB] = [Infinity, Infinity]
  for (let tries = 0; tries < TRIES && (turnMs >= maxTurnMs || moreMiB >= MAX_MORE_MIB); tries++) {
    const before = await forge.scrape()
    await attack()
    const after = await forge.scrape()
    turnMs = Math.min(turnMs, after.turnMs)
    moreMiB = Math.min(moreMiB, after.residentMiB - before.residentMiB)
  }
  expect(turnMs).toBeLessThan(maxTurnMs)
  expect(moreMiB).toBeLessThan(MAX_MORE_MIB)
}

test('a body without end is refused before it is read', async () => {
  await expectHarmless(async () => {
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536
        if (sent > 256 * MIB) controller.close()
        else controller.enqueue(new Uint8Array(65_536))
      },
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await fetch(`${forge.url}/login`, { method: 'POST', headers, body }).catch(
      () => null,
    )
    // The server may close the connection before the client reads the refusal.
    if (response !== null) expect([403, 413]).toContain(response.status)
    expect(sent).toBeLessThan(64 * MIB)
  })
}, 120_000)

test('readers that do not read hold blocks of a file, not the file', async () => {
  const sockets: Socket[] = []
  await expectHarmless(async () => {
    const { port } = new URL(forge.url)
    for (let reader = 0; reader < 10; reader++) {
      const socket = connect(Number(port), '127.0.0.1')
      sockets.push(socket)
      const began = Promise.withResolvers<void>()
      // The first bytes have come; from now on nothing is read.
      socket.once('data', (data) => {
        socket.pause()
        if (data.toString('latin1').startsWith('HTTP/1.1 200')) began.resolve()
        else began.reject(new Error(data.toString('latin1').slice(0, 200)))
      })
      socket.once('error', began.reject)
      socket.write('GET /acme/site/raw/main/large.bin HTTP/1.1\r\nHost: forge\r\n\r\n')
      await began.promise
    }
    await get('')
    for (const socket of sockets.splice(0)) socket.destroy()
  })
}, 120_000)

test('a commit whose first line has 20 MB makes small pages', async () => {
  await expectHarmless(async () => {
    for (const path of ['', '/commits/main']) {
      const { status, bytes } = await get(path)
      expect(status).toBe(200)
      expect(bytes).toBeLessThan(MIB)
    }
  })
}, 120_000)

test('patterns of code owners with thousands of slashes and stars cost next to nothing', async () => {
  await expectHarmless(async () => {
    for (const path of ['/code-owners', '/blob/main/wide.js'])
      expect((await get(path)).status).toBe(200)
  }, MAX_SHORT_TURN_MS)
}, 120_000)

test('a change of one line of 400,000 characters is shown without comparing its words', async () => {
  const sha = (await git(join(forge.directory, 'work'), 'rev-parse', 'HEAD')).trim()
  await expectHarmless(async () => {
    expect((await get(`/commit/${sha}`)).status).toBe(200)
  })
}, 120_000)

test('comments of markers of quotes are rendered apart, and once', async () => {
  const body = { title: 'a', body: '>'.repeat(65_000) }
  const { number } = (await forge.seed('POST', '/v1/repos/acme/site/issues', body)) as {
    number: number
  }
  for (let comment = 0; comment < 10; comment++)
    await forge.seed('POST', `/v1/repos/acme/site/issues/${number}/comments`, {
      body: `${comment}\n\n${'>'.repeat(65_000)}`,
    })
  await expectHarmless(async () => {
    expect((await get(`/issues/${number}`)).status).toBe(200)
  })
}, 120_000)

test('two hundred readers of a live page share its renderings', async () => {
  const { number } = (await forge.seed('POST', '/v1/repos/acme/site/issues', {
    title: 'live',
  })) as {
    number: number
  }
  const closing = new AbortController()
  const readers = await Promise.all(
    Array.from({ length: 200 }, () =>
      fetch(`${forge.url}/acme/site/issues/${number}/live?state=x`, {
        headers: { cookie: forge.cookie, accept: 'text/event-stream' },
        signal: closing.signal,
      }).catch(() => null),
    ),
  )
  expect(readers.some((reader) => reader?.status === 200)).toBe(true)
  await forge.scrape()
  try {
    await expectHarmless(async () => {
      for (let change = 0; change < 6; change++)
        await forge.seed('POST', `/v1/repos/acme/site/issues/${number}/comments`, { body: 'a' })
    })
  } finally {
    closing.abort()
  }
}, 120_000)

test('documents of a million brackets are refused before they are parsed', async () => {
  const brackets = '['.repeat(1_000_000)
  const zipped = await zip({ 'composer.json': brackets, 'a.php': 'a' })
  const requests: [method: string, path: string, type: string, body: BodyInit, status: number][] = [
    ['PUT', '/v2/acme/a/manifests/latest', OCI_MANIFEST, brackets, 400],
    ['PUT', '/packages/acme/composer', 'application/zip', new Uint8Array(zipped), 422],
    ['PUT', '/packages/acme/npm/@acme%2fa', JSON_TYPE, brackets, 400],
    ['POST', '/packages/acme/npm/-/npm/v1/security/advisories/bulk', JSON_TYPE, brackets, 400],
    ['POST', '/acme/site.git/info/lfs/objects/batch', JSON_TYPE, brackets, 422],
  ]
  for (const [method, path, type, body, status] of requests)
    await expectHarmless(async () => {
      const response = await fetch(forge.url + path, {
        method,
        headers: { authorization: `Bearer ${forge.token}`, 'content-type': type },
        body,
      })
      await response.arrayBuffer()
      expect([path, response.status]).toEqual([path, status])
    }, MAX_SHORT_TURN_MS)
}, 120_000)

test('fetches that name very many objects and refs are parsed in steps', async () => {
  const oid = 'ab'.repeat(20)
  const lines: [name: string, line: string, count: number, said: string][] = [
    ['wants', `0032want ${oid}\n`, 80_000, `not our ref ${oid}`],
    ['no ids', `0032want ${'z'.repeat(40)}\n`, 80_000, 'expected to get an object id'],
    ['refs', '0012want-ref HEAD\n', 190_000, '0010wanted-refs'],
    ['excluded refs', '001fdeepen-not refs/heads/main\n', 100_000, 'more than 1000'],
    ['turns', `0032have ${oid}\n0032want ${oid}\n`, 40_000, 'the negotiation has more than'],
    ['empty lines', '0004', 1_000_000, 'more than 200000 lines'],
  ]
  for (const [name, line, count, said] of lines) {
    const body = gzipSync(`0011command=fetch0001${line.repeat(count)}0009done\n0000`)
    expect(body.length).toBeLessThan(150_000)
    await expectHarmless(async () => {
      const response = await fetch(`${forge.url}/acme/site.git/git-upload-pack`, {
        method: 'POST',
        headers: {
          cookie: forge.cookie,
          authorization: `Bearer ${forge.token}`,
          'content-type': 'application/x-git-upload-pack-request',
          'content-encoding': 'gzip',
          'git-protocol': 'version=2',
        },
        body,
      })
      const answer = Buffer.from(await response.bytes()).toString('latin1')
      expect([name, response.status, answer.slice(0, 200)]).toEqual([
        name,
        200,
        expect.stringContaining(said),
      ])
    })
  }
}, 120_000)

test('a path of one long name is compared with few addresses', async () => {
  await expectHarmless(async () => {
    const { status } = await fetch(`${forge.url}/${'a'.repeat(15_000)}`, { redirect: 'manual' })
    expect(status).toBeLessThan(500)
  }, MAX_SHORT_TURN_MS)
}, 120_000)
