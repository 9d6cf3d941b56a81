import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createImport } from '#features/imports/create-import.ts'
import { getImport } from '#features/imports/get-import.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { setQuota } from '#features/site/index.ts'
import { listCommits } from '#features/repos/commits/list-commits.ts'
import { repoByPath } from '#features/repos/index.ts'
import { findWorkspace } from '#features/workspaces/index.ts'
import { git, tryGit } from '../../git/support/real-git.ts'
import { agentOf, refusal, withToken, workspaceCaller } from '../../world.ts'
import { makeImportWorld } from './fixture.ts'

const it = await makeImportWorld()
const { world, ada, bob, eve } = it
const start = (input: Record<string, unknown>, as = ada) =>
  world.call(createImport, as, { source: 'git', workspace: 'acme', ...input } as never)

test('branches, tags and history arrive, with the default branch of the other side', async () => {
  const gate = Promise.withResolvers<void>()
  const server = it.backend({ gate: gate.promise })
  await git(it.work, 'clone', '-q', '--mirror', it.source, 'trunk.git')
  await git(join(it.work, 'trunk.git'), 'branch', '-m', 'main', 'trunk')
  await git(join(it.work, 'trunk.git'), 'update-ref', 'refs/pull/7/head', 'trunk')
  const begun = await start({ url: `${server.url}/trunk.git/` })
  expect(begun).toMatchObject({
    source: 'git',
    url: `${server.url}/trunk.git`,
    repo: 'acme/trunk',
    state: 'queued',
    errors: [],
    started_at: null,
    finished_at: null,
    created_by: { username: 'ada' },
    steps: [{ name: 'code', done: 0, total: 0, state: 'waiting' }],
    progress: { phase: 'waiting', received_bytes: 0 },
  })
  const repo = { repo: 'acme/trunk' }
  expect(await world.call(getRepo, ada, repo)).toMatchObject({
    state: 'importing',
    empty: true,
    import_error: null,
  })
  expect(world.events('repo.created').at(-1)?.data).toEqual({ private: true, imported: true })
  gate.resolve()
  await world.jobs()
  const done = await world.call(getImport, ada, { id: begun.id })
  const all = Number(
    (
      await git(
        it.work,
        '-C',
        'trunk.git',
        'rev-list',
        '--objects',
        '--branches',
        '--tags',
        '--count',
      )
    ).trim(),
  )
  const refs = await it.wanted()
  expect(done).toMatchObject({
    state: 'done',
    errors: [],
    steps: [{ name: 'code', done: all, total: all, state: 'done' }],
    progress: { phase: 'over', received_objects: all, refs: refs.size, total_refs: refs.size },
  })
  expect(done.progress.received_bytes).toBeGreaterThan(1000)
  const main = refs.get('refs/heads/main') ?? ''
  const expected = new Map(
    [...refs].map(
      ([name, oid]) => [name === 'refs/heads/main' ? 'refs/heads/trunk' : name, oid] as const,
    ),
  )
  expect(it.refs('acme/trunk')).toEqual(new Map([...expected].sort(([a], [b]) => (a < b ? -1 : 1))))
  expect(await world.call(getRepo, ada, repo)).toMatchObject({
    state: 'active',
    empty: false,
    default_branch: 'trunk',
    import_error: null,
  })
  expect(
    (await world.call(listCommits, ada, { repo: 'acme/trunk', per_page: 1 })).items[0]?.sha,
  ).toBe(main)
  // One event for every ref, told by who began it.
  const pushes = world
    .events('git.push')
    .filter((event) => event.repo_id === repoByPath(world.hearth.db, 'acme/trunk')?.id)
  expect(pushes.length).toBe(refs.size)
  expect(pushes.every(({ actor_id }) => actor_id === ada.id)).toBe(true)
  expect(pushes[0]?.data).toMatchObject({
    ref: 'refs/heads/trunk',
    before: null,
    after: main,
    commits: Number(await git(it.source, 'rev-list', '--count', 'main')),
  })
  const store = join(world.data, 'repos', repoByPath(world.hearth.db, 'acme/trunk')?.store ?? '')
  expect((await tryGit(store, ['fsck', '--strict', '--connectivity-only'])).code).toBe(0)
})

test('a token is sent to its place, and is nowhere to be read', async () => {
  const token = 'glpat-SECRETSECRETSECRET'
  const gate = Promise.withResolvers<void>()
  const server = it.backend({
    authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
    gate: gate.promise,
  })
  const begun = await start({ url: `${server.url}/source.git`, token, name: 'with-token' })
  expect(JSON.stringify(begun)).not.toContain(token)
  const files = readdirSync(world.data).filter((name) => name.startsWith('hearth.db'))
  const onDisk = () => files.some((name) => readFileSync(join(world.data, name)).includes(token))
  expect(it.row(begun.id)?.secret).toBeString()
  expect(onDisk()).toBe(false)
  gate.resolve()
  await world.jobs()
  expect(await world.call(getImport, ada, { id: begun.id })).toMatchObject({ state: 'done' })
  expect(it.row(begun.id)?.secret).toBeNull()
  expect(onDisk()).toBe(false)
  const without = await start({ url: `${server.url}/source.git`, name: 'without-token' })
  await world.jobs()
  expect(await world.call(getImport, ada, { id: without.id })).toMatchObject({
    state: 'failed',
    errors: [expect.stringContaining('private or does not exist')],
  })
  const pair = it.backend({ authorization: `Basic ${Buffer.from('ada:word').toString('base64')}` })
  const named = await start({ url: `${pair.url}/source.git`, token: 'ada:word', name: 'named' })
  await world.jobs()
  expect(await world.call(getImport, ada, { id: named.id })).toMatchObject({ state: 'done' })
})

test('an empty repository arrives empty', async () => {
  await git(it.work, 'init', '-q', '--bare', 'empty.git')
  const begun = await start({ url: `${it.backend().url}/empty.git` })
  await world.jobs()
  expect(await world.call(getImport, ada, { id: begun.id })).toMatchObject({
    state: 'done',
    progress: { refs: 0 },
  })
  expect(await world.call(getRepo, ada, { repo: 'acme/empty' })).toMatchObject({
    state: 'active',
    empty: true,
  })
})

test('what cannot be had under its name is left out and said', async () => {
  await git(it.work, 'clone', '-q', '--mirror', it.source, 'odd.git')
  const odd = join(it.work, 'odd.git')
  const oid = await git(odd, 'rev-parse', 'main')
  await Bun.write(join(odd, 'refs/heads', oid), `${oid}\n`)
  const begun = await start({ url: `${it.backend().url}/odd.git` })
  await world.jobs()
  const record = await world.call(getImport, ada, { id: begun.id })
  expect(record).toMatchObject({
    state: 'done_with_errors',
    steps: [{ state: 'done_with_errors' }],
    errors: [`refs/heads/${oid} was left out: its name looks like a commit id`],
  })
  expect(it.refs('acme/odd').size).toBe((await it.wanted()).size)
})

test('addresses that may not be asked are refused before anything is made', async () => {
  const before = world.events().length
  const bad = async (url: string, field = 'url') => {
    const error = await refusal(start({ url, name: 'never' }))
    expect([url, error.status, error.field]).toEqual([url, 422, field])
    return error.message
  }
  for (const url of [
    'https://10.0.0.1/x',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://169.254.169.254/x',
    'https://10.1/x.git',
    'https://167772161/x',
    'https://0x0a000001/x',
    'https://100.64.0.1/x',
  ]) {
    expect(await bad(url)).toContain('outbound.allow')
  }
  // Allowed is what was allowed, not what stands beside it.
  expect(await bad('http://127.0.0.2/x')).toContain('outbound.allow')
  expect(await bad('https://ada:word@example.com/x')).not.toContain('word@')
  for (const url of [
    'ssh://git@example.com/x.git',
    'git@example.com:x.git',
    'file:///etc',
    'git://example.com/x',
    'x',
    'https://example.com/x?y=1',
    'https://example.com/x#y',
  ])
    await bad(url)
  expect(await bad('https://no-such-name.invalid/x')).toContain('has no address')
  expect(world.events().length).toBe(before)
  expect(repoByPath(world.hearth.db, 'acme/never')).toBeNull()
})

test('an address with a broken escape is refused', async () => {
  for (const source of ['git', 'gitlab_api', 'gitea_api'])
    expect(await refusal(start({ source, url: 'https://forge.example/ada/%zz' }))).toMatchObject({
      status: 422,
      field: 'url',
    })
})

test('what the other side does not have is refused', async () => {
  const { url } = it.backend()
  expect(
    await refusal(start({ url: `${url}/source.git`, source: 'github_api', name: 'x' })),
  ).toMatchObject({ status: 422, field: 'url' })
  expect(
    await refusal(start({ url: `${url}/source.git`, include: ['code', 'issues'], name: 'x' })),
  ).toMatchObject({ status: 422, field: 'include[1]' })
  expect(
    await refusal(start({ url: `${url}/source.git`, include: ['cats'], name: 'x' })),
  ).toMatchObject({ status: 422, field: 'include[0]' })
  expect(
    await refusal(start({ url: `${url}/source.git`, source: 'svn', name: 'x' })),
  ).toMatchObject({ status: 422, field: 'source' })
  expect(await refusal(start({ url, name: 'a b' }))).toMatchObject({ status: 422, field: 'name' })
  expect(await refusal(start({ url }))).toMatchObject({ status: 422, field: 'name' })
})

test('those may import who may make repositories', async () => {
  const { url } = it.backend()
  const input = { url: `${url}/source.git`, name: 'whose' }
  expect(await refusal(start(input, eve))).toMatchObject({ status: 404 })
  expect(await refusal(start(input, withToken(ada, { scopes: ['repo:write'] })))).toMatchObject({
    status: 403,
    reason: 'scope',
  })
  const agent = agentOf(ada, { id: 'rep_x' }, { id: 'agt_x' })
  expect(
    await refusal(world.call(createImport, agent, { source: 'git', workspace: 'acme', ...input })),
  ).toMatchObject({ status: 403 })
  await start(input, bob)
  expect(await refusal(start(input))).toMatchObject({ status: 409, reason: 'already_exists' })
  const workspace = findWorkspace(world.hearth.db, 'acme')
  if (!workspace) throw new Error('no workspace')
  const own = workspaceCaller(workspace, { scopes: ['repo:admin'], role: 'maintain' })
  const begun = await world.call(createImport, own, {
    source: 'git',
    workspace: 'acme',
    url: `${url}/source.git`,
    name: 'by-token',
  })
  expect(await world.call(getImport, own, { id: begun.id })).toMatchObject({
    repo: 'acme/by-token',
  })
})

test('more than the quota of the workspace is not kept, and said', async () => {
  const root = await world.user('root', { site_admin: true })
  await world.call(setQuota, root, { workspace: 'acme', repos_bytes: 1 })
  const begun = await start({ url: `${it.backend({}).url}/source.git`, name: 'too-much' })
  await world.jobs()
  const ended = await world.call(getImport, ada, { id: begun.id })
  expect(ended.state).toBe('failed')
  expect(ended.errors.at(-1)).toContain('acme may have 1 byte of repositories')
  expect(it.refs('acme/too-much').size).toBe(0)
  await world.call(setQuota, root, { workspace: 'acme', repos_bytes: null })
})
