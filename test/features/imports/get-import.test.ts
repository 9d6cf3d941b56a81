import { expect, test } from 'bun:test'
import { createImport } from '#features/imports/create-import.ts'
import { getImport } from '#features/imports/get-import.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { refusal, withToken } from '../../world.ts'
import { makeImportWorld } from './fixture.ts'

const it = await makeImportWorld()
const { world, ada, bob, eve } = it

test('who began it and owners see it, others learn nothing', async () => {
  const { id } = await world.call(createImport, bob, {
    source: 'git',
    workspace: 'acme',
    url: `${it.backend().url}/source.git`,
    name: 'seen',
  })
  for (const person of [ada, bob])
    expect(await world.call(getImport, person, { id })).toMatchObject({ id, repo: 'acme/seen' })
  const carl = await world.user('carl')
  const { addMember, findWorkspace } = await import('#features/workspaces/index.ts')
  await world.write((tx) =>
    addMember(tx, {
      workspace_id: findWorkspace(tx.db, 'acme')?.id ?? '',
      user_id: carl.id,
      role: 'member',
    }),
  )
  for (const person of [carl, eve])
    expect(await refusal(world.call(getImport, person, { id }))).toMatchObject({ status: 404 })
  for (const wrong of ['imp_nothing', 'rep_01h455vb4pex5vsknk084sn02q', 'x'])
    expect(await refusal(world.call(getImport, ada, { id: wrong }))).toMatchObject({ status: 404 })
  expect(
    await refusal(world.call(getImport, { kind: 'anonymous' } as never, { id })),
  ).toMatchObject({ status: 401 })
  expect(
    await refusal(world.call(getImport, withToken(ada, { scopes: ['repo:write'] }), { id })),
  ).toMatchObject({ status: 403, reason: 'scope' })
  expect(
    await refusal(world.call(getImport, withToken(ada, { repos: ['rep_other'] }), { id })),
  ).toMatchObject({ status: 404 })
})

/** A server whose first answers are these. */
function startAnswering(answers: { status: number; headers?: Record<string, string> }[]) {
  let count = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => {
      const answer = answers[Math.min(count++, answers.length - 1)]
      return new Response('no', { status: answer?.status ?? 500, headers: answer?.headers ?? {} })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/x`,
    count: () => count,
    close: () => server.stop(true),
  }
}

test('a limit of the other side is waited out', async () => {
  const server = startAnswering([
    { status: 429, headers: { 'retry-after': '600' } },
    { status: 404 },
  ])
  const { id } = await world.call(createImport, ada, {
    source: 'git',
    workspace: 'acme',
    url: server.url,
    name: 'limited',
  })
  await world.jobs()
  const waiting = await world.call(getImport, ada, { id })
  expect(waiting).toMatchObject({
    state: 'waiting_for_limit',
    finished_at: null,
    steps: [{ state: 'waiting' }],
    errors: [expect.stringContaining('429')],
  })
  expect(Date.parse(waiting.resume_at ?? '') - world.clock.now()).toBe(10 * MINUTE)
  world.clock.advance(9 * MINUTE)
  await world.jobs()
  expect(server.count()).toBe(1)
  world.clock.advance(2 * MINUTE)
  await world.jobs()
  expect(await world.call(getImport, ada, { id })).toMatchObject({
    state: 'failed',
    resume_at: null,
    errors: [expect.stringContaining('404')],
  })
  expect(server.count()).toBe(2)
  await server.close()
})

test('a server that is not well is asked again, but not for ever', async () => {
  const server = startAnswering([{ status: 502 }])
  const { id } = await world.call(createImport, ada, {
    source: 'git',
    workspace: 'acme',
    url: server.url,
    name: 'unwell',
  })
  const states: string[] = []
  for (const wait of [0, 11 * SECOND, MINUTE + SECOND, 6 * MINUTE, 60 * MINUTE]) {
    world.clock.advance(wait)
    await world.jobs()
    states.push((await world.call(getImport, ada, { id })).state)
  }
  expect(states).toEqual(['queued', 'queued', 'queued', 'failed', 'failed'])
  expect(server.count()).toBe(4)
  await server.close()
})
