import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UserCaller } from '#core/caller.ts'
import { issueToken } from '#features/accounts/index.ts'
import { addKey } from '#features/keys/add-key.ts'
import { listKeys } from '#features/keys/list-keys.ts'
import { removeKey } from '#features/keys/remove-key.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { getCommit } from '#features/repos/commits/get-commit.ts'
import { listTags } from '#features/repos/tags/list-tags.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { Exchange } from '#http/exchange.ts'
import { GitServer } from '#http/git/git-server.ts'
import made from '../../fixtures/ssh/signatures.json'
import { newSshKey } from '../../ssh.ts'
import { makeWorld } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
await world.workspace('acme', { owner: ada, members: [bob] })
await world.repo('acme/site')
const gitServer = new GitServer(world.hearth)
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  fetch: (request, listener) =>
    gitServer.handle(new Exchange(world.hearth, request, listener)) ??
    new Response('not git', { status: 418 }),
})
const home = mkdtempSync(join(tmpdir(), 'hearth-keys-'))
afterAll(async () => {
  await server.stop(true)
  rmSync(home, { recursive: true, force: true })
})
async function git(
  args: string[],
  stdin = '',
): Promise<{ code: number; out: string; err: string }> {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  }
  const child = Bun.spawn(['git', ...args], {
    cwd: home,
    env,
    stdin: Buffer.from(stdin),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out: out.trim(), err }
}
await git(['init', '-q', '--bare'])
const tree = (await git(['hash-object', '-t', 'tree', '-w', '--stdin'])).out
/** Creates a commit that is signed over `over`, or over its own content. */
async function commit(
  by: string,
  key: ReturnType<typeof newSshKey>,
  over?: string,
): Promise<string> {
  const who = `${by} <${by}@example.com> 1767323045 +0000`
  const head = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n`
  const signature = key.sign(over ?? `${head}\nBake\n`)
  const { out } = await git(
    ['hash-object', '-t', 'commit', '-w', '--stdin'],
    `${head}gpgsig ${signature.replaceAll('\n', '\n ')}\n\nBake\n`,
  )
  return out
}
const token = (person: UserCaller): Promise<string> =>
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
const remote = `http://x:${await token(ada)}@127.0.0.1:${server.port}/acme/site.git`
const push = (oid: string, ref: string) => git(['push', '-f', remote, `${oid}:refs/${ref}`])
const verificationOf = async (sha: string) =>
  (await world.call(getCommit, ada, { repo: 'acme/site', ref: sha })).verification
const [adas, bobs, strange] = [newSshKey(), newSshKey(), newSshKey()]
await world.call(addKey, ada, { title: 'Laptop', key: adas.line, usage: 'signing' })
await world.call(addKey, bob, { title: 'Desk', key: bobs.line })

test('only a signature by a key of the committer is verified', async () => {
  const good = await commit('ada', adas)
  const cases: [string, object][] = [
    [good, { verified: true, reason: 'valid', kind: 'ssh', signer: { username: 'ada' } }],
    [
      await commit('ada', adas, 'something else'),
      { verified: false, reason: 'invalid', signer: { username: 'ada' } },
    ],
    [
      await commit('ada', bobs),
      { verified: false, reason: 'bad_email', signer: { username: 'bob' } },
    ],
    [await commit('ada', strange), { verified: false, reason: 'unknown_key', signer: null }],
  ]
  for (const [at, [oid]] of cases.entries())
    expect((await push(oid, `heads/case-${at}`)).code).toBe(0)
  for (const [oid, wanted] of cases) expect(await verificationOf(oid)).toMatchObject(wanted)

  const text = `object ${good}\ntype commit\ntag v1\ntagger ada <ada@example.com> 1767323045 +0000\n\nFirst\n`
  const { out: tag } = await git(
    ['hash-object', '-t', 'tag', '-w', '--stdin'],
    `${text}${adas.sign(text)}\n`,
  )
  await push(tag, 'tags/v1')
  expect((await world.call(listTags, ada, { repo: 'acme/site' })).items).toMatchObject([
    { name: 'v1', verified: true, message: 'First\n' },
  ])

  const only = await world.call(addKey, ada, {
    title: 'Door only',
    key: made.keys.ed25519.line,
    usage: 'authentication',
  })
  await world.call(removeKey, ada, { id: only.id })
  const [key] = (await world.call(listKeys, ada, {})).items
  await world.call(removeKey, ada, { id: key?.id ?? '' })
  expect(await verificationOf(good)).toMatchObject({ verified: false, reason: 'unknown_key' })
})

test('where commits must be signed, a signature that proves nothing is refused with what is wrong', async () => {
  await world.call(addKey, ada, { title: 'Laptop', key: adas.line })
  await world.call(createRuleset, ada, {
    repo: 'acme/site',
    name: 'Signed',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['signed/*'] } },
    rules: [{ type: 'signed_commits', parameters: {} }],
  })
  for (const [oid, why] of [
    [await commit('ada', strange), 'key that no account has'],
    [await commit('ada', bobs), 'address'],
    [await commit('ada', adas, 'x'), 'does not fit'],
  ] as const) {
    const { code, err } = await push(oid, 'heads/signed/bad')
    expect([code, err.includes(why)]).toEqual([1, true])
  }
  expect((await push(await commit('ada', adas), 'heads/signed/good')).code).toBe(0)
})

test('adding a key re-evaluates pull requests that wait for it', async () => {
  const base = await world.commit('acme/site', 'main', { 'a.txt': 'a' })
  await world.call(createRuleset, ada, {
    repo: 'acme/site',
    name: 'Signed main',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['main'] } },
    rules: [{ type: 'signed_commits', parameters: {} }],
  })
  const {
    pull: { number },
  } = await world.call(createPull, ada, { repo: 'acme/site', title: 'Bake', base: 'main' })
  const fork = remote.replace('acme/site.git', `acme/site/pull/${number}.git`)
  await git(['fetch', '-q', remote, 'main'])
  const who = 'ada <ada@example.com> 1767323045 +0000'
  const head = `tree ${tree}\nparent ${base}\nauthor ${who}\ncommitter ${who}\n`
  const { out: oid } = await git(
    ['hash-object', '-t', 'commit', '-w', '--stdin'],
    `${head}gpgsig ${strange.sign(`${head}\nBake\n`).replaceAll('\n', '\n ')}\n\nBake\n`,
  )
  expect((await git(['push', fork, `${oid}:refs/heads/bake`])).code).toBe(0)
  const signed = async () => {
    await world.jobs()
    return (await world.call(getPull, ada, { repo: 'acme/site', number })).blockers.filter(
      ({ message }) => message.includes('sign'),
    )
  }
  expect(await signed()).toMatchObject([
    { message: expect.stringContaining('key that no account has') },
  ])
  const { id } = await world.call(addKey, ada, { title: 'New', key: strange.line })
  expect(await signed()).toEqual([])
  await world.call(removeKey, ada, { id })
  expect(await signed()).toHaveLength(1)
})
