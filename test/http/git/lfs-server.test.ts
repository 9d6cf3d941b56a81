/** Git LFS over HTTP: the messages of its API, and git-lfs itself as a client. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UserCaller } from '#core/caller.ts'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { revokeToken } from '#features/accounts/tokens/revoke-token.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { HOUR } from '#lib/time.ts'
import { listen, serveSite } from '../../web/visitor.ts'
import { fileOf, makeLfsWorld, OTHER, REPO } from '../../features/lfs/fixture.ts'
import { spoil } from '../../spoil.ts'

const listening = listen()
const { url } = listening.server
const all = await makeLfsWorld({ site_url: url, base_url: `${url}/api`, mcp_url: `${url}/mcp` })
const { world, ada, otto, mia, rita } = all
serveSite(world, listening)

const tokenOf = async (person: UserCaller, scopes: string[] = ['code:write']) => {
  const token = await world.call(createToken, person, { name: 'git', scopes })
  return { id: token.id, secret: token.secret ?? '' }
}
const [ottos, ritas, mias, adas, readers] = await Promise.all([
  tokenOf(otto),
  tokenOf(rita),
  tokenOf(mia),
  tokenOf(ada),
  tokenOf(otto, ['code:read']),
])

type Action = { href: string; header: { Authorization: string }; expires_in: number }
type Answered = {
  oid: string
  size: number
  actions?: { upload?: Action; verify?: Action; download?: Action }
  error?: { code: number; message: string }
}

const basic = (secret: string) => `Basic ${Buffer.from(`x:${secret}`).toString('base64')}`
const at = (repo: string, path: string) => `${url}/${repo}.git/info/lfs/${path}`

async function send(
  address: string,
  authorization: string | null,
  body?: unknown,
  method = 'POST',
) {
  const response = await fetch(address, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headers: {
      'content-type': 'application/vnd.git-lfs+json; charset=utf-8',
      ...(authorization === null ? {} : { authorization }),
    },
  })
  return { status: response.status, headers: response.headers, json: await response.json() }
}

async function batch(
  operation: string,
  texts: readonly string[],
  { secret = ottos.secret, repo = REPO }: { secret?: string | null; repo?: string } = {},
) {
  const answer = await send(at(repo, 'objects/batch'), secret === null ? null : basic(secret), {
    operation,
    transfers: ['ssh', 'lfs-standalone-file', 'basic'],
    objects: texts.map(fileOf),
  })
  return { ...answer, objects: (answer.json as { objects?: Answered[] }).objects ?? [] }
}

const put = (action: Action | undefined, text: string) =>
  fetch(action?.href ?? '', { method: 'PUT', body: text, headers: action?.header ?? {} })

async function upload(text: string, repo = REPO, secret = ottos.secret): Promise<void> {
  const [object] = (await batch('upload', [text], { repo, secret })).objects
  expect((await put(object?.actions?.upload, text)).status).toBe(200)
}

test('a file is uploaded, verified and downloaded, each with a header of its own', async () => {
  const { status, headers, json, objects } = await batch('upload', ['cat', 'dog'])
  expect([status, headers.get('content-type')]).toEqual([200, 'application/vnd.git-lfs+json'])
  expect(json).toMatchObject({ transfer: 'basic', hash_algo: 'sha256' })
  const [cat] = objects
  expect(cat?.actions?.upload?.href).toStartWith(at(REPO, `objects/${cat?.oid}`))
  expect(cat?.actions?.upload?.header.Authorization).toStartWith('Bearer lfs.')
  expect(cat?.actions?.upload?.expires_in).toBe(3600)
  expect((await put(cat?.actions?.upload, 'cat')).status).toBe(200)
  const { verify } = cat?.actions ?? {}
  const check = (size: number) =>
    send(verify?.href ?? '', verify?.header.Authorization ?? '', { oid: cat?.oid, size })
  expect((await check(3)).status).toBe(200)
  expect((await check(4)).status).toBe(422)

  // A file that is here needs no upload.
  expect((await batch('upload', ['cat'])).objects).toEqual([fileOf('cat')])
  const down = await batch('download', ['cat', 'dog'], { secret: ritas.secret })
  const { download } = down.objects[0]?.actions ?? {}
  expect(down.objects[1]?.error?.code).toBe(404)
  const get = (extra: Record<string, string> = {}) =>
    fetch(download?.href ?? '', { headers: { ...download?.header, ...extra } })
  expect(await (await get()).text()).toBe('cat')
  const part = await get({ range: 'bytes=1-' })
  expect([part.status, await part.text()]).toEqual([206, 'at'])
})

test('the digest of a file in another repository gives nothing', async () => {
  await upload('secret plan', OTHER, adas.secret)
  const { objects } = await batch('download', ['secret plan'])
  expect(objects[0]?.error?.code).toBe(404)
  expect(objects[0]?.actions).toBeUndefined()
  const [asked] = (await batch('upload', ['secret plan'])).objects
  expect(asked?.actions?.upload).toBeDefined()
  // Without its bytes there is no way to it.
  expect((await put(asked?.actions?.upload, 'secret plaN')).status).toBe(422)
  expect((await put(asked?.actions?.upload, '')).status).toBe(422)
  expect((await batch('download', ['secret plan'])).objects[0]?.error?.code).toBe(404)
})

test('a token opens what it was made for and nothing else', async () => {
  await upload('one')
  await upload('two')
  const { objects } = await batch('download', ['one'], { secret: ritas.secret })
  const token = objects[0]?.actions?.download?.header.Authorization ?? ''
  const get = (address: string, authorization = token) =>
    fetch(address, { headers: { authorization } }).then(({ status }) => status)
  const one = at(REPO, `objects/${fileOf('one').oid}`)
  expect(await get(one)).toBe(200)
  expect(await get(at(REPO, `objects/${fileOf('two').oid}`))).toBe(401)
  expect(await get(at(OTHER, `objects/${fileOf('one').oid}`))).toBe(401)
  expect(await get(at(REPO, 'locks'))).toBe(401)
  expect(await get(one, spoil(token))).toBe(401)
  expect(await get(`${url}/api/user`)).toBe(401)
  expect((await send(at(REPO, 'objects/batch'), token, {})).status).toBe(401)
  const uploaded = await fetch(`${one}?size=3`, {
    method: 'PUT',
    body: 'one',
    headers: { authorization: token },
  })
  expect(uploaded.status).toBe(403)
})

test('a transfer ends with the token that asked for it, and after an hour', async () => {
  const token = await tokenOf(otto)
  const [object] = (await batch('upload', ['late'], { secret: token.secret })).objects
  await world.call(revokeToken, otto, { id: token.id })
  expect((await put(object?.actions?.upload, 'late')).status).toBe(401)
  const [other] = (await batch('upload', ['late'])).objects
  world.clock.advance(HOUR)
  expect((await put(other?.actions?.upload, 'late')).status).toBe(401)
})

test('rights are those of git: who may not read sees nothing, who may not write uploads nothing', async () => {
  const status = async (operation: string, secret: string | null, repo = REPO) =>
    (await batch(operation, ['cat'], { secret, repo })).status
  expect(await status('download', ritas.secret)).toBe(200)
  expect(await status('upload', ritas.secret)).toBe(403)
  expect(await status('upload', readers.secret)).toBe(403)
  for (const repo of [OTHER, 'acme/missing'])
    expect(await status('download', ottos.secret, repo)).toBe(404)
  for (const repo of [REPO, 'acme/missing']) {
    const refused = await batch('download', ['cat'], { secret: null, repo })
    expect([refused.status, refused.headers.get('lfs-authenticate')]).toEqual([
      401,
      'Basic realm="Hearth", charset="UTF-8"',
    ])
    expect(refused.json).toEqual({
      message: expect.any(String),
      request_id: expect.any(String),
    })
  }
  await world.call(updateRepo, ada, { repo: REPO, private: false })
  const { objects } = await batch('download', ['cat'], { secret: null })
  const { download } = objects[0]?.actions ?? {}
  const file = await fetch(download?.href ?? '', { headers: { ...download?.header } })
  expect(await file.text()).toBe('cat')
  expect(await status('upload', null)).toBe(401)
  await world.call(updateRepo, ada, { repo: REPO, private: true })
  // The link of a reader without an account ends with the public repository.
  expect((await fetch(download?.href ?? '', { headers: { ...download?.header } })).status).toBe(401)
})

test('a faulty object of a batch is told beside the others', async () => {
  const good = fileOf('a file beside faulty ones')
  const faulty = [
    { oid: 'a345cde', size: 9 },
    { oid: good.oid.toUpperCase(), size: 9 },
    { oid: 'b'.repeat(64), size: -1 },
    null,
  ]
  const objects = [faulty[0], good, ...faulty.slice(1)]
  const answer = await send(at(REPO, 'objects/batch'), basic(ottos.secret), {
    operation: 'upload',
    objects,
  })
  expect(answer.status).toBe(200)
  const told = (answer.json as { objects: Record<string, unknown>[] }).objects
  expect(told.map(({ oid }) => oid)).toEqual([
    'a345cde',
    good.oid,
    good.oid.toUpperCase(),
    'b'.repeat(64),
    '',
  ])
  expect(told.map(({ error }) => (error as { code: number } | undefined)?.code)).toEqual([
    422,
    undefined,
    422,
    422,
    422,
  ])
  expect(told[1]?.actions).toHaveProperty('upload')
  expect(told[0]).not.toHaveProperty('actions')
})

test('bodies that are no batch are refused by name', async () => {
  const refused = async (body: unknown) =>
    (await send(at(REPO, 'objects/batch'), basic(ottos.secret), body)).status
  expect(await refused('{')).toBe(422)
  expect(await refused({ operation: 'delete', objects: [] })).toBe(422)
  expect(await refused({ operation: 'download', transfers: ['tus'], objects: [] })).toBe(422)
  expect(await refused({ operation: 'download', objects: [{ oid: '../../x', size: 1 }] })).toBe(422)
  expect(await refused({ operation: 'upload', objects: [{ oid: 'a'.repeat(64), size: -1 }] })).toBe(
    422,
  )
  expect(await refused({ operation: 'download', hash_algo: 'md5', objects: [] })).toBe(409)
  const many = Array.from({ length: 1001 }, () => fileOf('cat'))
  expect(await refused({ operation: 'download', objects: many })).toBe(422)
  expect((await send(at(REPO, 'nothing'), basic(ottos.secret), {})).status).toBe(404)
  expect((await send(at(REPO, 'locks/verify'), basic(ottos.secret), undefined, 'PUT')).status).toBe(
    405,
  )
})

test('locks are those of the operations', async () => {
  const call = (path: string, secret: string, body: unknown, method = 'POST') =>
    send(at(REPO, path), basic(secret), body, method)
  const made = await call('locks', ottos.secret, { path: 'a.psd', ref: { name: 'main' } })
  expect([made.status, made.json]).toEqual([
    201,
    {
      lock: {
        id: expect.stringMatching(/^lck_/),
        path: 'a.psd',
        locked_at: expect.any(String),
        owner: { name: 'otto' },
      },
    },
  ])
  const { lock } = made.json as { lock: { id: string } }
  const again = await call('locks', mias.secret, { path: 'a.psd' })
  expect([again.status, again.json]).toMatchObject([409, { lock, message: expect.any(String) }])
  expect((await call('locks/verify', ottos.secret, {})).json).toEqual({ ours: [lock], theirs: [] })
  expect((await call('locks/verify', mias.secret, {})).json).toEqual({ ours: [], theirs: [lock] })
  expect((await call('locks/verify', ritas.secret, {})).status).toBe(403)
  const list = await call('locks?path=a.psd', ritas.secret, undefined, 'GET')
  expect(list.json).toEqual({ locks: [lock] })
  expect((await call(`locks/${lock.id}/unlock`, mias.secret, {})).status).toBe(403)
  expect((await call(`locks/${lock.id}/unlock`, mias.secret, { force: true })).status).toBe(200)
})

const home = mkdtempSync(join(tmpdir(), 'hearth-lfs-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const FILTER = [
  '[filter "lfs"]',
  '\tclean = git-lfs clean -- %f',
  '\tsmudge = git-lfs smudge -- %f',
  '\tprocess = git-lfs filter-process',
  '\trequired = true',
]

async function run(directory: string, ...args: string[]): Promise<{ code: number; text: string }> {
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
      LC_ALL: 'C',
    },
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, text: out + err }
}

async function git(directory: string, ...args: string[]): Promise<string> {
  const { code, text } = await run(directory, ...args)
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${text}`)
  return text
}

test('git-lfs pushes, clones, locks, and a push without its files is refused', async () => {
  const identity = ['[user]', '\tname = Otto', '\temail = otto@example.com']
  writeFileSync(join(home, '.gitconfig'), [...FILTER, ...identity, ''].join('\n'))
  const remote = (secret: string) => `${url.replace('://', `://x:${secret}@`)}/${REPO}.git`
  await git('.', 'clone', '-q', remote(ottos.secret), 'work')
  await git('work', 'checkout', '-q', '-b', 'art')
  await git('work', 'lfs', 'install', '--local')
  const bytes = Buffer.alloc(300_000, 'large file ')
  writeFileSync(join(home, 'work/a.psd'), bytes)
  writeFileSync(join(home, 'work/empty.psd'), '')
  await git('work', 'add', '.')
  await git('work', 'commit', '-q', '-m', 'Add a large file')
  await git('work', 'lfs', 'lock', 'a.psd')
  expect(await git('work', 'lfs', 'locks')).toContain('otto')
  await git('work', 'push', '-q', 'origin', 'art')
  await git('.', 'clone', '-q', '-b', 'art', remote(ritas.secret), 'copy')
  expect(readFileSync(join(home, 'copy/a.psd')).equals(bytes)).toBe(true)
  expect(statSync(join(home, 'copy/empty.psd')).size).toBe(0)
  await git('work', 'lfs', 'unlock', 'a.psd')

  writeFileSync(join(home, 'work/b.psd'), 'another')
  await git('work', 'add', '.')
  await git('work', 'commit', '-q', '-m', 'Add another')
  const refused = await run('work', 'push', '--no-verify', 'origin', 'art')
  expect(refused.code).not.toBe(0)
  expect(refused.text).toContain('b.psd')
  expect(refused.text).toContain('git lfs push --all')
  await git('work', 'lfs', 'push', '--all', 'origin')
  await git('work', 'push', '-q', '--no-verify', 'origin', 'art')
})
