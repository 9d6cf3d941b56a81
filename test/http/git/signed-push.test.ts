/** Signed pushes (git-push, --signed) from git with SSH keys, and what forged ones get. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UserCaller } from '#core/caller.ts'
import { issueToken } from '#features/accounts/index.ts'
import { addKey } from '#features/keys/add-key.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { getPushCertificate } from '#features/repos/push/get-push-certificate.ts'
import { listEvents } from '#features/repos/profile/list-events.ts'
import { renameRepo } from '#features/repos/lifecycle/rename-repo.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { Exchange } from '#http/exchange.ts'
import { GitServer } from '#http/git/git-server.ts'
import { makeWorld, refusal } from '../../world.ts'

const REPO = 'acme/site'
const world = await makeWorld()
const { hearth } = world
const ada = await world.user('ada')
const bob = await world.user('bob')
await world.workspace('acme', { owner: ada, members: [bob] })
await world.repo(REPO)
await world.repo('acme/other')
for (const repo of [REPO, 'acme/other'])
  await world.call(updateRepo, ada, { repo, protected: false })

const tokenOf = (person: UserCaller): Promise<string> =>
  world.write((tx) => {
    const options = {
      actor_id: person.id,
      kind: 'user' as const,
      name: 'git',
      source: 'settings' as const,
      scopes: null,
      repos: null,
      workspace_id: null,
      role: null,
      expires_at: null,
    }
    return issueToken(tx, options).secret
  })
const tokens = { ada: await tokenOf(ada), bob: await tokenOf(bob) }

/** The bodies of pushes, as git sent them. */
const sent: Buffer[] = []
/** Whether pushes are not passed on. */
let holds = false
const gitServer = new GitServer(hearth)
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  async fetch(request, listener) {
    if (request.method === 'POST') {
      sent.push(Buffer.from(await request.clone().arrayBuffer()))
      if (holds) return new Response('later', { status: 503 })
    }
    return (
      gitServer.handle(new Exchange(hearth, request, listener)) ??
      new Response('not git', { status: 418 })
    )
  },
})
const home = mkdtempSync(join(tmpdir(), 'hearth-signed-'))
afterAll(async () => {
  await server.stop(true)
  rmSync(home, { recursive: true, force: true })
})

async function run(command: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn(command, {
    cwd: home,
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
  return { code, out: out.trim(), err }
}
const git = (...args: string[]) => run(['git', ...args])
const remote = (repo = REPO, who: keyof typeof tokens = 'ada') =>
  `http://x:${tokens[who]}@127.0.0.1:${server.port}/${repo}.git`

let count = 0
/** Commits, and pushes it with a signature. */
async function push(
  branch: string,
  { to = remote(), signed = 'yes', key = 'ada', options = [] as string[] } = {},
) {
  await git('commit', '-q', '--allow-empty', '-m', `change ${++count}`)
  return git(
    ...['-c', `user.signingkey=${join(home, key)}.pub`],
    ...['push', `--signed=${signed}`, ...options.flatMap((one) => ['-o', one])],
    ...[to, `HEAD:refs/heads/${branch}`],
  )
}
const signatureOf = async (branch: string, repo = REPO) => {
  const { items } = await world.call(listEvents, ada, { repo, types: ['git.push'] })
  return items.find(({ data }) => data.ref === `refs/heads/${branch}`)?.data.signature as
    | { certificate: string; verified: boolean; reason: string; signer: string | null }
    | undefined
}
/** Sends bytes as a push, and gives the report. */
async function send(body: Uint8Array, repo = REPO, who: keyof typeof tokens = 'ada') {
  const answer = await fetch(`http://127.0.0.1:${server.port}/${repo}.git/git-receive-pack`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokens[who]}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
    body: Buffer.from(body),
  })
  return answer.text()
}
const lastBody = (): Buffer => sent.at(-1) ?? Buffer.alloc(0)

beforeAll(async () => {
  for (const name of ['ada', 'bob', 'unknown'])
    await run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', join(home, name)])
  const keyOf = (name: string) => readFileSync(join(home, `${name}.pub`), 'utf8').trim()
  await world.call(addKey, ada, { title: 'laptop', key: keyOf('ada') })
  await world.call(addKey, bob, { title: 'laptop', key: keyOf('bob') })
  await git('init', '-q', '-b', 'main')
  for (const [name, value] of [
    ['user.name', 'Ada'],
    ['user.email', 'ada@example.com'],
    ['gpg.format', 'ssh'],
    ['commit.gpgsign', 'false'],
  ] as const)
    await git('config', name, value)
})

test('the certificate of git is verified and kept with the push', async () => {
  const { code, err } = await push('main')
  expect([code, err]).toEqual([0, expect.stringContaining('main')])
  const signature = await signatureOf('main')
  expect(signature).toMatchObject({ verified: true, reason: 'valid', signer: 'ada' })
  const [event] = (await world.call(listEvents, ada, { repo: REPO, types: ['git.push'] })).items
  expect(event?.summary).toBe('ada pushed 1 commit to the new branch main, signed')
  const id = signature?.certificate ?? ''
  const kept = await world.call(getPushCertificate, bob, { repo: REPO, id })
  expect(kept).toMatchObject({
    verified: true,
    kind: 'ssh',
    pusher: { username: 'ada' },
    signer: { username: 'ada' },
  })
  expect(kept.text).toContain(`pushee http://127.0.0.1:${server.port}/${REPO}.git`)
  expect(kept.text).toContain('refs/heads/main')
  expect(kept.text).not.toContain(tokens.ada)
  expect(kept.signature).toStartWith('-----BEGIN SSH SIGNATURE-----')
  expect(
    await refusal(world.call(getPushCertificate, ada, { repo: 'acme/other', id })),
  ).toMatchObject({ status: 404 })
})

test('--signed=if-asked signs too, with push options; an unsigned push has no signature', async () => {
  expect(await push('asked', { signed: 'if-asked', options: ['ci.skip'] })).toMatchObject({
    code: 0,
  })
  expect(await signatureOf('asked')).toMatchObject({ verified: true })
  expect(await push('plain', { signed: 'no' })).toMatchObject({ code: 0 })
  expect(await signatureOf('plain')).toBeNull()
})

test('a key of somebody else, or of nobody, does not count', async () => {
  expect(await push('unknown', { key: 'unknown' })).toMatchObject({ code: 0 })
  expect(await signatureOf('unknown')).toMatchObject({
    verified: false,
    reason: 'unknown_key',
    signer: null,
  })
  expect(await push('theirs', { key: 'bob' })).toMatchObject({ code: 0 })
  expect(await signatureOf('theirs')).toMatchObject({
    verified: false,
    reason: 'not_pusher',
    signer: 'bob',
  })
})

test('a certificate is taken once, by its repository and its account', async () => {
  const old = (await git('rev-parse', 'HEAD')).out
  await git('push', '-q', remote(), `${old}:refs/heads/again`)
  expect(await push('again')).toMatchObject({ code: 0 })
  const body = lastBody()
  const certificates = () =>
    hearth.db.one<{ n: number }>('SELECT count(*) AS n FROM push_certificates')?.n
  const before = certificates()
  // The branch is where it was before, so only the nonce tells that it is a repetition.
  await git('push', '-q', '-f', remote(), `${old}:refs/heads/again`)
  expect(await send(body)).toContain('ng refs/heads/again this push certificate was used before')
  expect(await send(body, 'acme/other')).toContain('was not given here for this push')
  expect(await send(body, REPO, 'bob')).toContain('was not given here for this push')
  expect(certificates()).toBe(before)
})

test('a certificate is of its time', async () => {
  const { out: head } = await git('rev-parse', 'HEAD')
  const { reply } = await held('late', head)
  world.clock.advance(10 * 60_000 + 1000)
  expect(await reply()).toContain('is older than 10 minutes')
  const again = await held('late', head)
  world.clock.advance(9 * 60_000)
  expect(await again.reply()).toContain('ok refs/heads/late')
})

test('what is pushed must be what is signed', async () => {
  const { out: head } = await git('rev-parse', 'HEAD')
  const { body } = await held('signed', head)
  const text = body.toString('latin1')
  const renamed = Buffer.from(text.replace('refs/heads/signed', 'refs/heads/forged'), 'latin1')
  expect(await send(renamed)).toContain('ng refs/heads/forged')
  expect(hearth.db.one(`SELECT 1 FROM refs WHERE name = 'refs/heads/forged'`)).toBeNull()
  // Another command behind the certificate.
  const line = `${'0'.repeat(40)} ${head} refs/heads/more\n`
  const extra = `${(line.length + 4).toString(16).padStart(4, '0')}${line}`
  const end = text.indexOf('push-cert-end\n') + 'push-cert-end\n'.length
  expect(await send(Buffer.from(text.slice(0, end) + extra + text.slice(end), 'latin1'))).toContain(
    'got both a push certificate and unsigned commands',
  )
  expect(hearth.db.one(`SELECT 1 FROM refs WHERE name = 'refs/heads/more'`)).toBeNull()
  // The certificate of a push to another address, with a nonce of this one.
  const address = `127.0.0.1:${server.port}/acme/site.git`
  const moved = text.replaceAll(address, `127.0.0.1:${server.port}/acme/sitx.git`)
  expect(await send(Buffer.from(moved, 'latin1'))).toContain('is for another address')
  // Nothing of this took the nonce.
  expect(await send(body)).toContain('ok refs/heads/signed')
})

test('after a rename the old address works, and a wiki is pushed to without', async () => {
  await world.repo('acme/before')
  await world.call(updateRepo, ada, { repo: 'acme/before', protected: false })
  await world.call(renameRepo, ada, { repo: 'acme/before', name: 'after' })
  expect(await push('main', { to: remote('acme/before') })).toMatchObject({ code: 0 })
  expect(await signatureOf('main', 'acme/after')).toMatchObject({ verified: true })
  const wiki = await push('main', { to: remote(`${REPO}.wiki`) })
  expect([wiki.code, wiki.err]).toEqual([
    1,
    expect.stringContaining('the receiving end does not support --signed push'),
  ])
})

test('a push to the fork of a pull request shows in its events, with the certificate', async () => {
  const { pull } = await world.call(createPull, bob, { repo: REPO, title: 'Signed work' })
  const fork = `${REPO}/pull/${pull.number}`
  expect(await push('main', { to: remote(fork, 'bob'), key: 'bob' })).toMatchObject({ code: 0 })
  const types = ['pull.updated']
  const [event] = (await world.call(listEvents, ada, { repo: REPO, types })).items
  expect(event?.summary).toEndWith(`to pull request #${pull.number}, signed`)
  expect(event?.data.signature).toMatchObject({ verified: true, signer: 'bob' })
  const { certificate: id } = (event?.data.signature ?? {}) as { certificate: string }
  expect((await world.call(getPushCertificate, ada, { repo: REPO, id })).text).toContain(
    `pushee http://127.0.0.1:${server.port}/${fork}.git`,
  )
})

/** The body of a signed push that the server held back. */
async function held(branch: string, head: string) {
  holds = true
  try {
    await git(
      ...['-c', `user.signingkey=${join(home, 'ada')}.pub`],
      ...['push', '--signed=yes', remote(), `${head}:refs/heads/${branch}`],
    )
  } finally {
    holds = false
  }
  const body = lastBody()
  return { body, reply: () => send(body) }
}
