/**
 * What clients meet when repositories move, are archived, or are downloaded: real git, and HTTP
 * through the whole server.
 */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UserCaller } from '#core/caller.ts'
import { issueToken } from '#features/accounts/index.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { archiveRepo } from '#features/repos/lifecycle/archive-repo.ts'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { getArchiveLink } from '#features/repos/archives/get-archive-link.ts'
import { readRef, repoByPath } from '#features/repos/index.ts'
import { renameRepo } from '#features/repos/lifecycle/rename-repo.ts'
import { transferRepo } from '#features/repos/lifecycle/transfer-repo.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { GitServer } from '#http/git/git-server.ts'
import { startServer } from '#http/server.ts'
import { silentLog, type LogFields } from '#lib/log.ts'
import { MINUTE } from '#lib/time.ts'
import { makeWorld } from '../../world.ts'

const world = await makeWorld()
const { hearth } = world
const [ada, bob, eve] = [await world.user('ada'), await world.user('bob'), await world.user('eve')]
await world.workspace('acme', { owner: ada, members: [bob] })
await world.workspace('bakery', { owner: ada, members: [bob] })

const logged: LogFields[] = []
const log = { ...silentLog, info: (_: string, fields: LogFields = {}) => void logged.push(fields) }
const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 1000 })
server.open(
  {
    ...hearth,
    log,
    get callers() {
      return hearth.callers
    },
    get jobs() {
      return hearth.jobs
    },
  },
  { git: new GitServer(hearth) },
)
const home = mkdtempSync(join(tmpdir(), 'hearth-life-'))
afterAll(async () => {
  await server.stop()
  rmSync(home, { recursive: true, force: true })
})

const tokenOf = (person: UserCaller): Promise<string> =>
  world.write(
    (tx) =>
      issueToken(tx, {
        actor_id: person.id,
        kind: 'user',
        name: 'git',
        source: 'settings',
        scopes: null,
        repos: null,
        workspace_id: null,
        role: null,
        expires_at: null,
      }).secret,
  )
const [adas, bobs, eves] = [await tokenOf(ada), await tokenOf(bob), await tokenOf(eve)]
const at = (path: string, token?: string) =>
  `${server.url.replace('://', token === undefined ? '://' : `://x:${token}@`)}/${path}`

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
async function commit(directory: string, file: string): Promise<string> {
  writeFileSync(join(home, directory, file), `${file}\n`)
  await ok(directory, 'add', '.')
  await ok(directory, 'commit', '-q', '-m', file)
  return ok(directory, 'rev-parse', 'HEAD')
}
const refOf = (path: string, branch: string) =>
  readRef(hearth.db, repoByPath(hearth.db, path)?.id ?? '', `refs/heads/${branch}`)

test('a setting that is misspelt is refused over REST, not left out', async () => {
  await world.repo('acme/shop')
  const path = `${server.url}/api/repos/acme/shop/settings`
  const headers = { authorization: `Bearer ${adas}`, 'content-type': 'application/json' }
  const refused = await fetch(path, {
    method: 'PATCH',
    headers,
    body: '{"auto_merge":true,"requierd_approvals":2}',
  })
  expect(refused.status).toBe(422)
  expect(await refused.json()).toMatchObject({
    error: { code: 'invalid', reason: 'unknown_input', field: 'requierd_approvals' },
  })
  expect(await (await fetch(path, { headers })).json()).toMatchObject({
    auto_merge: false,
    required_approvals: 0,
  })
  const changed = await fetch(path, { method: 'PATCH', headers, body: '{"requiredApprovals":2}' })
  expect(await changed.json()).toMatchObject({ auto_merge: false, required_approvals: 2 })
})

test('a clone goes on working after a rename and a transfer: git follows on fetch and push', async () => {
  await world.repo('acme/site', { private: true })
  await world.commit('acme/site', 'main', { 'a.txt': 'a\n' })
  await world.call(updateRepo, ada, { repo: 'acme/site', protected: false })
  await ok('.', 'clone', '-q', at('acme/site.git', bobs), 'work')
  await world.call(renameRepo, ada, { repo: 'acme/site', name: 'web' })
  const next = await world.commit('acme/web', 'main', { 'b.txt': 'b\n' })
  const fetched = await git('work', 'fetch', 'origin')
  expect([fetched.code, await ok('work', 'rev-parse', 'origin/main')]).toEqual([0, next])
  await ok('work', 'merge', '-q', 'origin/main')
  await world.call(transferRepo, ada, { repo: 'acme/web', to: 'bakery' })
  const mine = await commit('work', 'c.txt')
  await ok('work', 'push', '-q', 'origin', 'main')
  expect(refOf('bakery/web', 'main')).toBe(mine)
  for (const old of ['acme/site.git', 'acme/site', 'acme/web.git'])
    expect((await git('.', 'ls-remote', at(old, bobs))).out).toContain(mine)
  expect(
    (await fetch(at('acme/site.git/info/refs?service=git-upload-pack'), { redirect: 'manual' }))
      .status,
  ).toBe(401)
  const stranger = await fetch(at('acme/site.git/info/refs?service=git-upload-pack'), {
    redirect: 'manual',
    headers: { authorization: `Bearer ${eves}` },
  })
  expect([
    stranger.status,
    stranger.headers.get('location'),
    (await stranger.text()).includes('bakery'),
  ]).toEqual([404, null, false])
  const member = await fetch(at('acme/site/info/refs?service=git-receive-pack'), {
    redirect: 'manual',
    headers: { authorization: `Bearer ${bobs}` },
  })
  expect([member.status, member.headers.get('location')]).toEqual([
    301,
    '/bakery/web/info/refs?service=git-receive-pack',
  ])
  // A new repository under the old name ends it: nobody's push lands in the wrong place.
  await world.call(createRepo, ada, { workspace: 'acme', name: 'site', private: true })
  expect((await git('work', 'push', 'origin', 'main:late')).code).toBe(0)
  expect([refOf('acme/site', 'late'), refOf('bakery/web', 'late')]).toEqual([mine, null])
})

test('the remote of a pull request moves with its repository', async () => {
  await world.repo('acme/open')
  await world.commit('acme/open', 'main', { 'a.txt': 'a\n' })
  const { pull } = await world.call(createPull, eve, { repo: 'acme/open', title: 'Change it' })
  await ok('.', 'clone', '-q', at(`acme/open/pull/${pull.number}.git`, eves), 'fork')
  await world.call(renameRepo, ada, { repo: 'acme/open', name: 'free' })
  const mine = await commit('fork', 'eve.txt')
  await ok('fork', 'push', '-q', 'origin', 'main')
  expect(refOf(`acme/free/pull/${pull.number}`, 'main')).toBe(mine)
})

test('an archived repository can be cloned, and says why it takes no push', async () => {
  await world.repo('acme/done')
  await world.commit('acme/done', 'main', { 'a.txt': 'a\n' })
  await ok('.', 'clone', '-q', at('acme/done.git', bobs), 'done')
  await world.call(archiveRepo, ada, { repo: 'acme/done' })
  await commit('done', 'late.txt')
  const { code, err } = await git('done', 'push', 'origin', 'HEAD:late')
  expect(code).not.toBe(0)
  expect(err).toContain('acme/done is archived and read-only')
  expect(refOf('acme/done', 'late')).toBeNull()
  expect((await git('.', 'clone', '-q', at('acme/done.git'), 'again')).code).toBe(0)
})

test('an archive link gives a zip file to whoever has it, and nothing afterwards', async () => {
  await world.repo('acme/files', { private: true })
  const head = await world.commit('acme/files', 'feature/x', {
    'README.md': '# Hi\n',
    'src/a.ts': 'a\n',
  })
  const asked = await fetch(at('api/repos/acme/files/zipball/feature%2Fx'), {
    redirect: 'manual',
    headers: { authorization: `Bearer ${bobs}` },
  })
  expect(asked.status).toBe(302)
  const location = asked.headers.get('location') ?? ''
  const name = `acme-files-${head.slice(0, 7)}`
  expect(location).toEndWith(`/${name}.zip`)
  const local = new URL(location).pathname.slice(1)
  const download = await fetch(at(local))
  expect(download.status).toBe(200)
  expect(download.headers.get('content-type')).toBe('application/zip')
  expect(download.headers.get('content-disposition')).toBe(`attachment; filename="${name}.zip"`)
  await Bun.write(join(home, 'a.zip'), await download.arrayBuffer())
  const listed = Bun.spawnSync([
    'python3',
    '-m',
    'zipfile',
    '-l',
    join(home, 'a.zip'),
  ]).stdout.toString()
  for (const file of ['README.md', 'src/a.ts']) expect(listed).toContain(`${name}/${file}`)
  expect((await fetch(at(local), { method: 'HEAD' })).status).toBe(200)
  expect((await fetch(at(local), { method: 'POST' })).status).toBe(405)
  expect((await fetch(at(local.replace(name, 'other')))).status).toBe(404)
  const mcp = await world.call(getArchiveLink, bob, { repo: 'acme/files', ref: 'feature/x' })
  expect(mcp.commit).toBe(head)
  const packed = await fetch(at(`${local.slice(0, -'.zip'.length)}.tar.gz`))
  expect(packed.headers.get('content-type')).toBe('application/gzip')
  const input = Buffer.from(await packed.bytes())
  const names = Bun.spawnSync(['tar', 'tzf', '-'], { stdin: input }).stdout.toString()
  expect(names).toBe(`${name}/\n${name}/README.md\n${name}/src/\n${name}/src/a.ts\n`)
  // The log does not hold what would let its readers in.
  expect(logged.map(({ path }) => path)).toContain('/_archive')
  expect(JSON.stringify(logged)).not.toContain(local.split('/')[1] ?? '?')
  world.clock.advance(10 * MINUTE)
  const late = await fetch(at(local))
  expect(late.status).toBe(410)
  expect(((await late.json()) as { error: { code: string } }).error.code).toBe('gone')
})
