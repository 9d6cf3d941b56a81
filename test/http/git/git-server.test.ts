import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UserCaller } from '#core/caller.ts'
import { issueToken, revokeLeakedToken } from '#features/accounts/index.ts'
import {
  createFork,
  moveRefs,
  prepareUpdates,
  readRef,
  repoByPath,
  allocateNumber,
} from '#features/repos/index.ts'
import { Exchange } from '#http/exchange.ts'
import { GitServer, parseGitAddress, parseProtocolVersion } from '#http/git/git-server.ts'
import { until } from '../../features/checks/fixture.ts'
import { makeWorld } from '../../world.ts'

const world = await makeWorld()
const { hearth } = world
const ada = await world.user('ada')
const bob = await world.user('bob')
const eve = await world.user('eve')
const limbo = await world.user('limbo', { verified: false })
await world.workspace('acme', { owner: ada, members: [bob] })
await world.repo('acme/open')
await world.repo('acme/secret', { private: true })

const tokenOf = (person: UserCaller, scopes: string[] | null = null): Promise<string> =>
  world.write((tx) => {
    const options = {
      actor_id: person.id,
      kind: 'user' as const,
      name: 'git',
      source: 'settings' as const,
      scopes,
      repos: null,
      workspace_id: null,
      role: null,
      expires_at: null,
    }
    return issueToken(tx, options).secret
  })

const [adas, bobs, eves, limbos, readers] = [
  await tokenOf(ada),
  await tokenOf(bob),
  await tokenOf(eve),
  await tokenOf(limbo),
  await tokenOf(bob, ['code:read']),
]

const MAIN = 'refs/heads/main'
const inFlight = (operation: string): number => hearth.metrics.gitInFlight.get(operation) ?? 0

const gitServer = new GitServer(hearth)
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  maxRequestBodySize: 1 << 30,
  fetch: (request, listener) =>
    gitServer.handle(new Exchange(hearth, request, listener)) ??
    new Response('not git', { status: 418 }),
})
const home = mkdtempSync(join(tmpdir(), 'hearth-git-'))
afterAll(async () => {
  await server.stop(true)
  rmSync(home, { recursive: true, force: true })
})

const at = (path: string, token?: string) =>
  `http://${token === undefined ? '' : `x:${token}@`}127.0.0.1:${server.port}/${path}`
const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
})
const refs = (path: string, headers: Record<string, string> = {}, service = 'git-upload-pack') =>
  fetch(at(`${path}/info/refs?service=${service}`), { headers })

/** Runs git in a directory below the test's home; nothing of this machine's settings is read. */
async function git(
  directory: string,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn(['git', ...args], {
    cwd: join(home, directory),
    stdout: 'pipe',
    stderr: 'pipe',
    stdin: 'ignore',
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Bob',
      GIT_AUTHOR_EMAIL: 'bob@example.com',
      GIT_COMMITTER_NAME: 'Bob',
      GIT_COMMITTER_EMAIL: 'bob@example.com',
      LC_ALL: 'C',
    },
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out: out.trim(), err }
}

async function ok(directory: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await git(directory, ...args)
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${err}`)
  return out
}

const refOf = (path: string, name: string) =>
  readRef(hearth.db, repoByPath(hearth.db, path)?.id ?? '', name)

test('only addresses of git are taken', () => {
  expect(parseGitAddress('/acme/site.git/info/refs')).toEqual({
    repo: 'acme/site',
    resource: 'info/refs',
  })
  expect(parseGitAddress('/acme/site/git-upload-pack')).toEqual({
    repo: 'acme/site',
    resource: 'git-upload-pack',
  })
  expect(parseGitAddress('/acme/a.git.b.git/git-receive-pack')).toEqual({
    repo: 'acme/a.git.b',
    resource: 'git-receive-pack',
  })
  expect(parseGitAddress('/acme/site/pull/12.git/info/refs')).toEqual({
    repo: 'acme/site/pull/12',
    resource: 'info/refs',
  })
  expect(parseGitAddress('/acme/site/pull/12/info/refs')).toEqual({
    repo: 'acme/site/pull/12',
    resource: 'info/refs',
  })
  for (const path of [
    '/acme/site',
    '/acme/site.git',
    '/acme/site/HEAD',
    '/info/refs',
    '/api/site/info/refs',
    '/acme/site/pull/x/info/refs',
    '/a%2fb/c/info/refs',
    '/acme/../x/info/refs/y',
  ]) {
    expect(parseGitAddress(path)).toBeNull()
  }
  expect(parseProtocolVersion('version=2')).toBe(2)
  expect(parseProtocolVersion('other:version=1')).toBe(1)
  expect(parseProtocolVersion('version=3')).toBe(0)
  expect(parseProtocolVersion(null)).toBe(0)
})

describe('who may', () => {
  test('everyone reads what is public; the rest asks for a sign-in, whether or not it exists', async () => {
    expect((await refs('acme/open.git')).status).toBe(200)
    const answers = await Promise.all(
      ['acme/secret', 'acme/missing', 'nobody/here'].map((path) => refs(path)),
    )
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toStartWith('Basic realm="Hearth"')
    }
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1)
    expect((await refs('acme/open', {}, 'git-receive-pack')).status).toBe(401)
  })

  test('a token is the password, the username, or a bearer', async () => {
    for (const headers of [
      basic('whoever', bobs),
      basic(bobs, ''),
      basic(bobs, 'x-oauth-basic'),
      { authorization: `Bearer ${bobs}` },
    ]) {
      expect((await refs('acme/secret', headers)).status).toBe(200)
    }
  })

  test('a wrong token is refused even where none is needed', async () => {
    for (const headers of [
      basic('bob', 'wrong'),
      basic('bob', `${bobs}x`),
      { authorization: 'Bearer x' },
      { authorization: 'Digest x' },
      basic('x', 'y'.repeat(5000)),
    ]) {
      const answer = await refs('acme/open', headers)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('content-type')).toStartWith('text/plain')
    }
  })

  test('who is signed in and may not see it hears that it does not exist', async () => {
    expect((await refs('acme/secret', basic('eve', eves))).status).toBe(404)
    expect((await refs('acme/missing', basic('eve', eves))).status).toBe(404)
  })

  test('who was let in a moment ago is not any more once the token is revoked', async () => {
    const short = await tokenOf(bob)
    for (let times = 0; times < 2; times++)
      expect((await refs('acme/secret', basic('x', short))).status).toBe(200)
    expect((await refs('acme/other', basic('x', short))).status).toBe(404)
    expect((await refs('acme/secret', basic('x', eves))).status).toBe(404)
    expect((await refs('acme/secret')).status).toBe(401)
    await world.write((tx) => revokeLeakedToken(tx, short, 'a test'))
    expect((await refs('acme/secret', basic('x', short))).status).toBe(401)
  })

  test('a push that runs ends when its token is revoked, and moves nothing', async () => {
    const short = await tokenOf(bob)
    const main = () => readRef(hearth.db, repoByPath(hearth.db, 'acme/secret')?.id ?? '', MAIN)
    const before = main()
    const command = `${before ?? '0'.repeat(40)} ${'1'.repeat(40)} ${MAIN}\0report-status\n`
    const line = `${(command.length + 4).toString(16).padStart(4, '0')}${command}`
    // The pack never comes.
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from(`${line}0000`)),
    })
    const pushing = fetch(at('acme/secret.git/git-receive-pack'), {
      method: 'POST',
      headers: { ...basic('x', short), 'content-type': 'application/x-git-receive-pack-request' },
      body,
    })
      .then((answer) => answer.text())
      .catch(() => '')
    await until(() => inFlight('push') === 1)
    await world.write((tx) => revokeLeakedToken(tx, short, 'a test'))
    expect(await pushing).not.toContain('ok refs/')
    await until(() => inFlight('push') === 0)
    expect(main()).toBe(before)
  })

  test('a disk that is full at the second request of a push is told as git shows it', async () => {
    const { settings } = hearth
    const { limits } = settings
    const line = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/late\0 report-status`
    const body = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`
    const headers = {
      ...basic('bob', bobs),
      'content-type': 'application/x-git-receive-pack-request',
    }
    Object.assign(settings, { limits: { ...limits, disk_reserve: Number.MAX_SAFE_INTEGER } })
    try {
      const first = await refs('acme/open', basic('bob', bobs), 'git-receive-pack')
      expect([first.status, await first.text()]).toEqual([503, expect.stringContaining('is full')])
      const asked = { method: 'POST', headers, body }
      const second = await fetch(at('acme/open.git/git-receive-pack'), asked)
      expect(second.status).toBe(200)
      expect(await second.text()).toContain('ng refs/heads/late the disk of this site is full')
    } finally {
      Object.assign(settings, { limits })
    }
    expect(refOf('acme/open', 'refs/heads/late')).toBeNull()
  })

  test('a push is refused before the body is read', async () => {
    const asked = {
      method: 'POST',
      headers: { ...basic('eve', eves), 'content-type': 'application/x-git-receive-pack-request' },
    }
    let read = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        // Endless: an answer can only come if nobody waits for the end.
        read++
        controller.enqueue(new Uint8Array(64 * 1024))
        return Bun.sleep(1)
      },
    })
    const answer = await fetch(at('acme/open.git/git-receive-pack'), { ...asked, body })
    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('role write')
    expect(read).toBeLessThan(1000)
    expect((await refs('acme/open', basic('eve', eves), 'git-receive-pack')).status).toBe(403)
    expect((await refs('acme/open', basic('bob', readers), 'git-receive-pack')).status).toBe(403)
    expect((await refs('acme/open', basic('bob', readers))).status).toBe(200)
    const unconfirmed = await refs('acme/open', basic('limbo', limbos), 'git-receive-pack')
    expect(unconfirmed.status).toBe(403)
    expect(await unconfirmed.text()).toContain('confirm')
  })
})

describe('the protocol', () => {
  test('answers have the types that clients check, and are not to be kept', async () => {
    const answer = await refs('acme/open')
    expect(answer.headers.get('content-type')).toBe('application/x-git-upload-pack-advertisement')
    expect(answer.headers.get('cache-control')).toContain('no-cache')
    expect(await answer.text()).toStartWith('001e# service=git-upload-pack\n0000')
    expect(await (await refs('acme/open', { 'git-protocol': 'version=2' })).text()).toContain(
      'version 2',
    )
    expect(
      (await refs('acme/open', basic('bob', bobs), 'git-receive-pack')).headers.get('content-type'),
    ).toBe('application/x-git-receive-pack-advertisement')
  })

  test('the old protocol and wrong requests are refused in words', async () => {
    for (const path of [
      'acme/open.git/info/refs',
      'acme/open.git/HEAD',
      'acme/open.git/objects/info/packs',
    ]) {
      const answer = await fetch(at(path))
      expect([path, answer.status]).toEqual([path, 403])
      expect(await answer.text()).toContain('smart HTTP')
    }
    expect((await refs('acme/open', {}, 'git-shell')).status).toBe(403)
    expect((await fetch(at('acme/open/git-upload-pack'))).status).toBe(405)
    expect(
      (await fetch(at('acme/open/git-upload-pack'), { method: 'POST', body: '0000' })).status,
    ).toBe(415)
    const headers = {
      'content-type': 'application/x-git-upload-pack-request',
      'content-encoding': 'br',
    }
    expect(
      (await fetch(at('acme/open/git-upload-pack'), { method: 'POST', body: '0000', headers }))
        .status,
    ).toBe(415)
  })
})

describe('a person at work', () => {
  beforeAll(async () => {
    await ok('.', 'init', '-q', '-b', 'main', 'work')
    writeFileSync(join(home, 'work/a.txt'), 'a\n')
    await ok('work', 'add', '.')
    await ok('work', 'commit', '-q', '-m', 'First')
    await ok('work', 'remote', 'add', 'origin', at('acme/open.git', bobs))
  })

  test('pushes, and another clones, with every version of the protocol', async () => {
    await ok('work', 'push', '-q', 'origin', 'main')
    const head = await ok('work', 'rev-parse', 'HEAD')
    expect(refOf('acme/open', 'refs/heads/main')).toBe(head)
    for (const version of ['0', '1', '2']) {
      await ok(
        '.',
        '-c',
        `protocol.version=${version}`,
        'clone',
        '-q',
        at('acme/open'),
        `clone${version}`,
      )
      expect(await ok(`clone${version}`, 'rev-parse', 'HEAD')).toBe(head)
    }
    expect(world.events('git.push').at(-1)).toMatchObject({
      actor_id: bob.id,
      data: { after: head, commits: 1 },
    })
  })

  test('hears in one line why a ref was refused, while the others go through', async () => {
    writeFileSync(join(home, 'work/a.txt'), 'b\n')
    await ok('work', 'commit', '-q', '-am', 'Second')
    const before = refOf('acme/open', 'refs/heads/main')
    const { code, err } = await git('work', 'push', 'origin', 'main', 'main:topic')
    expect(code).toBe(1)
    expect(err).toContain('main is protected')
    expect(err).toContain('[new branch]')
    expect(refOf('acme/open', 'refs/heads/main')).toBe(before)
    expect(refOf('acme/open', 'refs/heads/topic')).toBe(await ok('work', 'rev-parse', 'HEAD'))
    const atomic = await git('work', 'push', '--atomic', 'origin', 'main', 'main:other')
    expect(atomic.code).toBe(1)
    expect(refOf('acme/open', 'refs/heads/other')).toBeNull()
  })

  test('pushes tags and deletes branches', async () => {
    await ok('work', 'tag', '-a', 'v1', '-m', 'One')
    await ok('work', 'push', '-q', 'origin', 'v1')
    expect(await ok('.', 'ls-remote', '--tags', at('acme/open'))).toContain('refs/tags/v1^{}')
    await ok('work', 'push', '-q', 'origin', ':topic')
    expect(refOf('acme/open', 'refs/heads/topic')).toBeNull()
  })

  test('moves a repository with all its refs, and leaves those of the forge alone', async () => {
    await world.repo('acme/mirrored')
    await ok('work', 'notes', 'add', '-m', 'a note')
    await ok('work', 'update-ref', 'refs/changes/01/1/1', 'HEAD')
    await ok('.', 'clone', '-q', '--mirror', 'work', 'mirror.git')
    const url = at('acme/mirrored.git', adas)
    await ok('mirror.git', 'push', '-q', '--mirror', url)
    const pushed = await ok('mirror.git', 'for-each-ref', '--format=%(objectname) %(refname)')
    const repo = repoByPath(hearth.db, 'acme/mirrored')
    if (!repo) throw new Error('no repository')
    const head = await ok('mirror.git', 'rev-parse', 'main')
    const prepared = await prepareUpdates(hearth, repo, [
      { name: 'refs/pull/1/head', old: null, new: head },
    ])
    await world.write((tx) => moveRefs(tx, repo, prepared))
    // A mirror push deletes what it is shown and does not have itself.
    await ok('mirror.git', 'update-ref', '-d', 'refs/changes/01/1/1')
    await ok('mirror.git', 'push', '-q', '--mirror', url)
    const listed = (await ok('.', 'ls-remote', url)).split('\n').map((line) => line.split('\t'))
    const shown = listed
      .filter(([, name = '']) => name.startsWith('refs/') && !name.endsWith('^{}'))
      .map(([oid, name]) => `${oid} ${name}`)
    expect(shown).toContain(`${head} refs/pull/1/head`)
    const kept = shown.filter((line) => !line.includes('refs/pull/'))
    expect(kept).toEqual(pushed.split('\n').filter((line) => !line.includes('refs/changes/')))
    const refused = await git('mirror.git', 'push', url, 'main:refs/pull/2/head')
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('belong to the forge')
  })

  test('a large push in chunks, and a fetch over the old protocol', async () => {
    // What is larger than the post buffer git sends in chunks, after a probe.
    await ok('work', 'checkout', '-q', '-b', 'many')
    for (let i = 0; i < 30; i++) {
      writeFileSync(join(home, 'work/n.txt'), `${i}\n`)
      await ok('work', 'add', '.')
      await ok('work', 'commit', '-q', '-m', `n${i}`)
    }
    writeFileSync(
      join(home, 'work/big.bin'),
      Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
        .toString('base64')
        .repeat(4),
    )
    await ok('work', 'add', '.')
    await ok('work', 'commit', '-q', '-m', 'big')
    await ok('work', '-c', 'http.postBuffer=65536', 'push', '-q', 'origin', 'many')
    await ok('clone2', 'commit', '-q', '--allow-empty', '-m', 'mine')
    await ok('clone2', '-c', 'protocol.version=0', 'fetch', '-q', 'origin', 'many')
    expect(await ok('clone2', 'rev-parse', 'FETCH_HEAD')).toBe(
      await ok('work', 'rev-parse', 'many'),
    )
  })

  test('works in the fork of a pull request, apart from its parent', async () => {
    const parent = repoByPath(hearth.db, 'acme/open')
    const oid = refOf('acme/open', 'refs/heads/main')
    if (!parent || !oid) throw new Error('nothing was pushed')
    const number = await world.write((tx) => {
      const pull_number = allocateNumber(tx, parent.id)
      createFork(tx, parent, {
        pull_number,
        author_id: eve.id,
        head: { ref: 'refs/heads/main', oid },
      })
      return pull_number
    })
    const fork = `acme/open/pull/${number}`
    await ok('.', 'clone', '-q', at(`${fork}.git`, eves), 'fork')
    writeFileSync(join(home, 'fork/eve.txt'), 'eve\n')
    await ok('fork', 'add', '.')
    await ok('fork', 'commit', '-q', '-m', 'Eve')
    await ok('fork', 'push', '-q', 'origin', 'main')
    const mine = await ok('fork', 'rev-parse', 'HEAD')
    expect(refOf(fork, 'refs/heads/main')).toBe(mine)
    expect(refOf('acme/open', 'refs/heads/main')).toBe(oid)
    expect((await git('work', 'push', at(fork, adas), 'many')).err).toContain('403')
    // The parent shares the objects and still does not give what only the fork reaches.
    await ok('.', 'init', '-q', 'thief')
    expect((await git('thief', 'fetch', '-q', at('acme/open'), mine)).code).not.toBe(0)
    expect((await git('thief', 'fetch', '-q', at(fork), mine)).code).toBe(0)
    expect(readFileSync(join(home, 'fork/eve.txt'), 'utf8')).toBe('eve\n')
  })

  test('hears that an archived repository is read-only', async () => {
    await world.write((tx) =>
      tx.db.run(`UPDATE repos SET archived_at = ? WHERE name = 'open'`, tx.now),
    )
    const { err } = await git('work', 'push', 'origin', 'many:late')
    expect(err).toContain('archived and read-only')
    expect((await git('.', 'ls-remote', at('acme/open'))).code).toBe(0)
    expect(refOf('acme/open', 'refs/heads/late')).toBeNull()
  })
})

test('a compressed body is undone, counted, and refused when it is not what it says', async () => {
  await world.repo('acme/zip')
  const head = await world.commit('acme/zip', 'main', { 'a.txt': 'a' })
  const headers = {
    'content-type': 'application/x-git-upload-pack-request',
    'content-encoding': 'gzip',
    'git-protocol': 'version=2',
  }
  const question = '0014command=ls-refs\n00010000'
  const good = await fetch(at('acme/zip/git-upload-pack'), {
    method: 'POST',
    headers,
    body: Bun.gzipSync(Buffer.from(question)),
  })
  expect(good.status).toBe(200)
  expect(await good.text()).toContain(`${head} refs/heads/main`)
  const bad = await fetch(at('acme/zip/git-upload-pack'), {
    method: 'POST',
    headers,
    body: 'not gzip at all',
  }).then(
    (answer) => answer.text(),
    () => 'cut off',
  )
  expect(bad).not.toContain(head)
  expect((await fetch(at('acme/zip/info/refs?service=git-upload-pack'))).status).toBe(200)
})

describe('an answer that was given before', () => {
  const pkt = (line: string): string => (line.length + 4).toString(16).padStart(4, '0') + line
  const headers = {
    'content-type': 'application/x-git-upload-pack-request',
    'git-protocol': 'version=2',
  }
  const kept = () => join(world.data, 'tmp', 'git')
  const ask = (path: string, tip: string, signal?: AbortSignal) =>
    fetch(at(`${path}/git-upload-pack`), {
      method: 'POST',
      headers,
      // Progress is told by the clock, so two answers of a busy machine would differ in it.
      body: `${pkt('command=fetch')}0001${pkt('ofs-delta')}${pkt('no-progress')}${pkt(`want ${tip}`)}${pkt('done')}0000`,
      signal,
    })
  const sum = async (answer: Response): Promise<string> =>
    new Bun.CryptoHasher('sha1').update(await answer.arrayBuffer()).digest('hex')
  let tip = ''

  beforeAll(async () => {
    await world.repo('acme/large')
    tip = await world.commit('acme/large', 'main', { 'a.txt': 'a' })
    // More than what is kept in memory, and more than the system buffers between two ends of a
    // connection.
    const repo = repoByPath(hearth.db, 'acme/large')
    if (!repo) throw new Error('no repository')
    const author = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000, zone: '+0000' }
    const bytes = Buffer.alloc(24 << 20)
    for (let from = 0; from < bytes.length; from += 65536)
      crypto.getRandomValues(bytes.subarray(from, from + 65536))
    const { commit } = await hearth.git.commitFiles(repo.store, {
      parent: tip,
      changes: [{ action: 'put', path: 'noise', data: bytes }],
      message: 'noise',
      author,
      committer: author,
    })
    const prepared = await prepareUpdates(hearth, repo, [
      { name: 'refs/heads/main', old: tip, new: commit },
    ])
    await world.write((tx) => moveRefs(tx, repo, prepared), ada)
    tip = commit
  })

  test('goes out as the file in which it is kept, the same byte for byte', async () => {
    const first = await ask('acme/large', tip)
    expect(first.headers.get('content-length')).toBeNull()
    const whole = await sum(first)
    expect(await sum(await ask('acme/large', tip))).toBe(whole)
    const third = await ask('acme/large', tip)
    expect(Number(third.headers.get('content-length'))).toBeGreaterThan(24 << 20)
    expect(third.headers.get('content-type')).toBe('application/x-git-upload-pack-result')
    expect(third.headers.get('cache-control')).toContain('no-cache')
    expect(third.headers.get('content-disposition')).toBe('inline')
    expect(await sum(third)).toBe(whole)
    await ok('.', 'clone', '-q', at('acme/large'), 'large')
    expect(await ok('large', 'rev-parse', 'HEAD')).toBe(tip)
  })

  test('reaches its end when the file is removed on the way, and is made anew afterwards', async () => {
    const [whole, begun] = [await sum(await ask('acme/large', tip)), await ask('acme/large', tip)]
    expect(begun.headers.get('content-length')).not.toBeNull()
    for (const name of readdirSync(kept())) rmSync(join(kept(), name), { recursive: true })
    const next = await ask('acme/large', tip)
    expect(next.headers.get('content-length')).toBeNull()
    expect([await sum(begun), await sum(next)]).toEqual([whole, whole])
  })

  test('is there for the next one when a reader goes away in the middle', async () => {
    const whole = await sum(await ask('acme/large', tip))
    for (let times = 0; times < 3; times++) {
      const leaving = new AbortController()
      const answer = await ask('acme/large', tip, leaving.signal)
      expect(answer.headers.get('content-length')).not.toBeNull()
      leaving.abort()
    }
    expect(await sum(await ask('acme/large', tip))).toBe(whole)
  })

  test('is not given for a ref that has moved away, nor to who may not read', async () => {
    const before = tip
    const repo = repoByPath(hearth.db, 'acme/large')
    const old = (await hearth.git.readCommit(repo?.store ?? '', tip))?.parents[0] ?? ''
    if (!repo) throw new Error('no repository')
    const prepared = await prepareUpdates(hearth, repo, [
      { name: 'refs/heads/main', old: before, new: old },
    ])
    await world.write((tx) => moveRefs(tx, repo, prepared), ada)
    // Longer than refs are remembered for those who were shown them.
    world.clock.advance(2 * 60_000)
    expect((await (await ask('acme/large', before)).text()).includes('not our ref')).toBe(true)
    await world.write((tx) => tx.db.run(`UPDATE repos SET private = 1 WHERE name = 'large'`))
    expect((await ask('acme/large', old)).status).toBe(401)
  })
})

test('a history too long to wait for is looked through after its push, to the end', async () => {
  await world.repo('acme/deep')
  const secret = await tokenOf(eve)
  const commits = Array.from({ length: 1100 }, (_, at) => {
    const text = at === 0 ? secret : String(at)
    return `commit refs/heads/main\ncommitter Eve <eve@example.com> ${1_700_000_000 + at} +0000\ndata 1\nx\nM 100644 inline f${at === 0 ? '' : 'n'}\ndata ${text.length}\n${text}\n`
  })
  await ok('.', 'init', '-q', '-b', 'main', 'deep')
  writeFileSync(join(home, 'stream'), commits.join(''))
  const child = Bun.spawn(['git', '-C', join(home, 'deep'), 'fast-import', '--quiet'], {
    stdin: Bun.file(join(home, 'stream')),
  })
  expect(await child.exited).toBe(0)
  await ok('deep', 'push', '-q', at('acme/deep', adas), 'main')
  expect(refOf('acme/deep', 'refs/heads/main')).not.toBeNull()
  expect(hearth.callers.byToken(secret)).not.toBeNull()
  await world.jobs()
  expect(hearth.callers.byToken(secret)).toBeNull()
})

test('a push that rules refuse tells of each, with the address of its ruleset', async () => {
  const { createRuleset } = await import('#features/rulesets/index.ts')
  await world.repo('acme/ruled')
  await ok('.', 'clone', '-q', at('acme/ruled.git', adas), 'ruled')
  writeFileSync(join(home, 'ruled', 'a.exe'), 'a')
  await ok('ruled', 'add', '.')
  await ok('ruled', 'commit', '-qm', 'wip')
  const made = await world.call(createRuleset, ada, {
    repo: 'acme/ruled',
    name: 'Tidy',
    target: 'push',
    rules: [
      { type: 'commit_message', parameters: { pattern: '^feat: ' } },
      { type: 'file_extension', parameters: { extensions: ['exe'] } },
    ],
  })
  const { code, err } = await git(
    'ruled',
    'push',
    'origin',
    'HEAD:refs/heads/main',
    'HEAD:refs/heads/topic',
  )
  expect(code).toBe(1)
  const told = err
    .split('\n')
    .filter((line) => line.startsWith('remote: ') && line.includes(': rule '))
    .map((line) => line.trim())
  expect(told).toHaveLength(4)
  expect(told[0]).toStartWith('remote: main: rule commit_message: the message of commit ')
  expect(told.every((line) => line.endsWith(`; ${made.html_url}`))).toBe(true)
  expect(err).toContain('! [remote rejected] HEAD -> main (rule commit_message: ')
  expect(refOf('acme/ruled', 'refs/heads/main')).toBeNull()
  await ok('ruled', 'rm', '-q', '--cached', 'a.exe')
  await ok('ruled', 'commit', '-q', '--amend', '--allow-empty', '-m', 'feat: fine')
  await ok('ruled', 'push', '-q', 'origin', 'HEAD:refs/heads/main')
  expect(refOf('acme/ruled', 'refs/heads/main')).not.toBeNull()
})

test('a push says which workflow files have errors, and goes on', async () => {
  await world.repo('acme/built')
  await ok('.', 'clone', '-q', at('acme/built.git', adas), 'built')
  const folder = join(home, 'built', '.github', 'workflows')
  mkdirSync(folder, { recursive: true })
  const good = 'on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{ run: x }]\n'
  writeFileSync(join(folder, 'ci.yml'), good.replace('steps', 'stesp'))
  writeFileSync(join(folder, 'good.yml'), good)
  await ok('built', 'add', '.')
  await ok('built', 'commit', '-qm', 'one')
  const told = async (): Promise<string[]> => {
    const { code, err } = await git('built', 'push', 'origin', 'HEAD:refs/heads/main')
    expect(code).toBe(0)
    const lines = err.split('\n').filter((line) => line.startsWith('remote: '))
    return lines.map((line) => line.trim())
  }
  expect(await told()).toEqual(["remote: .github/workflows/ci.yml:5:5 Unexpected value 'stesp'"])
  expect(refOf('acme/built', 'refs/heads/main')).not.toBeNull()
  // Nothing about files that the push did not change.
  writeFileSync(join(home, 'built', 'a.txt'), 'a')
  await ok('built', 'add', '.')
  await ok('built', 'commit', '-qm', 'two')
  expect(await told()).toEqual([])
  writeFileSync(join(folder, 'good.yml'), good.replace('on: push', 'on: { push: { nothing: 1 } }'))
  await ok('built', 'commit', '-qam', 'three')
  expect(await told()).toEqual([
    "remote: .github/workflows/good.yml:1:15 Unexpected value 'nothing'",
  ])
})

describe('a ref that is gone between the list of refs and the fetch', () => {
  const packet = (line: string): string =>
    `${(line.length + 5).toString(16).padStart(4, '0')}${line}\n`
  const ask = (path: string, token: string, command: string, ...args: string[]) =>
    fetch(`http://127.0.0.1:${server.port}/${path}/git-upload-pack`, {
      method: 'POST',
      body: `${packet(`command=${command}`)}0001${args.map(packet).join('')}0000`,
      headers: {
        ...basic('x', token),
        'content-type': 'application/x-git-upload-pack-request',
        'git-protocol': 'version=2',
      },
    }).then(async (response) => Buffer.from(await response.arrayBuffer()).toString('latin1'))

  test('comes to whoever was shown it, by id and by name, for a minute; nobody else hears of it', async () => {
    await world.repo('acme/fleeting', { private: true })
    await ok('.', 'clone', '-q', at('acme/fleeting.git', adas), 'fleeting')
    await ok('fleeting', 'commit', '-q', '--allow-empty', '-m', 'stays')
    await ok('fleeting', 'push', '-q', 'origin', 'HEAD:refs/heads/main')
    await ok('fleeting', 'commit', '-q', '--allow-empty', '-m', 'goes')
    await ok('fleeting', 'push', '-q', 'origin', 'HEAD:refs/heads/passing')
    const oid = await ok('fleeting', 'rev-parse', 'HEAD')
    expect(await ask('acme/fleeting.git', adas, 'ls-refs')).toContain(`${oid} refs/heads/passing`)
    await ok('fleeting', 'push', '-q', 'origin', ':refs/heads/passing')

    const byId = () => ask('acme/fleeting.git', adas, 'fetch', `want ${oid}`, 'done')
    expect(await byId()).toContain('PACK')
    const byName = await ask(
      'acme/fleeting.git',
      adas,
      'fetch',
      'want-ref refs/heads/passing',
      'done',
    )
    expect(byName).toContain(`${oid} refs/heads/passing`)
    expect(byName).toContain('PACK')
    // It is not shown any more, and bob never saw it.
    expect(await ask('acme/fleeting.git', adas, 'ls-refs')).not.toContain(oid)
    expect(await byId()).toContain('PACK')
    expect(await ask('acme/fleeting.git', bobs, 'fetch', `want ${oid}`, 'done')).toContain(
      `not our ref ${oid}`,
    )
    expect(
      await ask('acme/fleeting.git', bobs, 'fetch', 'want-ref refs/heads/passing', 'done'),
    ).toContain('unknown ref refs/heads/passing')

    world.clock.advance(2 * 60_000)
    expect(await byId()).toContain(`not our ref ${oid}`)
  })
})
