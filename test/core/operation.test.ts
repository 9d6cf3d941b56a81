import { describe, expect, test } from 'bun:test'
import { publicRead, publicWrite, readsRepo, writesRepo, limitRepoFacts } from '#core/access.ts'
import { anonymous } from '#core/caller.ts'
import { listEvents, event } from '#core/events.ts'
import { call, operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import type { Refusal } from '#lib/errors.ts'
import { makeFloor } from './floor.ts'

const caught = (promise: Promise<unknown>): Promise<Refusal> =>
  promise.then(
    (value) => Promise.reject(new Error(JSON.stringify(value))),
    (error: Refusal) => error,
  )

const add = operation({
  name: 'add',
  summary: 'Adds.',
  route: 'GET /add',
  access: publicRead(),
  input: Type.Object({
    a: Type.Integer(),
    b: Type.Optional(Type.Integer({ minimum: 0 })),
    flag: Type.Optional(Type.Boolean()),
    words: Type.Optional(Type.Array(OneOf(['x', 'y']))),
    few: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
    deep: Type.Optional(Type.Object({ list: Type.Array(Type.Object({ n: Type.Integer() })) })),
  }),
  output: Type.Object({ sum: Type.Integer(), flag: Type.Boolean() }),
  handler: (_, { a, b = 0, flag = false }) => ({ sum: a + b, flag }),
})

describe('input', () => {
  const { hearth } = makeFloor({ operations: [add] })
  const run = (input: unknown, strict = false) =>
    call(hearth, add, anonymous, input as never, { strict })

  test('digits and the words for booleans are converted, as paths and queries bring them', async () => {
    expect(await run({ a: '2', b: '3', flag: '1' })).toEqual({ sum: 5, flag: true })
  })
  test('text that only looks like a number is not', async () => {
    for (const a of ['2x', '', ' 2', '1e3', '0x10', '2.0', '9'.repeat(30)])
      expect((await caught(run({ a }))).field).toBe('a')
  })
  test('the field at fault is named, dotted for depth', async () => {
    expect((await caught(run({}))).field).toBe('a')
    expect((await caught(run({ a: 1, b: -1 }))).field).toBe('b')
    expect((await caught(run({ a: 1, words: ['x', 'z'] }))).field).toBe('words[1]')
    expect((await caught(run({ a: 1, deep: { list: [{ n: 1 }, { n: 'q' }] } }))).field).toBe(
      'deep.list[1].n',
    )
    expect((await caught(run({ a: 1, deep: { list: [{}] } }))).field).toBe('deep.list[0].n')
  })
  test('unknown names are ignored, or refused where the door is strict', async () => {
    expect(await run({ a: 1, c: 1 })).toEqual({ sum: 1, flag: false })
    const error = await caught(run({ a: 1, c: 1 }, true))
    expect([error.code, error.reason, error.field]).toEqual(['invalid', 'unknown_input', 'c'])
    for (const name of ['constructor', 'toString'])
      expect((await caught(run({ a: 1, [name]: 1 }, true))).reason).toBe('unknown_input')
    expect((await caught(run({ a: 1, flag: 'constructor' }))).field).toBe('flag')
  })
  test('a list that is too long is refused at the cost of a permitted one', async () => {
    const few = Array.from({ length: 250_000 }, () => 'a')
    // Building the message once loads what every refusal needs.
    await caught(run({ a: 1, few: ['a', 'b', 'c', 'd'] }))
    const before = process.threadCpuUsage()
    const error = await caught(run({ a: 1, few }))
    const { user, system } = process.threadCpuUsage(before)
    expect([error.field, error.message]).toEqual(['few', 'few may have at most 3 entries'])
    // Each item was converted and looked at: 500 ms.
    expect((user + system) / 1000).toBeLessThan(50)
    expect(few).toHaveLength(250_000)
  })
  test('only an object is an input', async () => {
    for (const input of [null, [], 'a', 1]) expect((await caught(run(input))).code).toBe('invalid')
  })
})

const facts = limitRepoFacts(
  {
    id: 'rep_1',
    full_name: 'acme/site',
    name: 'site',
    workspace_id: 'wsp_1',
    workspace: 'acme',
    private: false,
    archived: false,
    deleted: false,
    role: null,
    workspace_role: null,
    default_branch: 'main',
    store: 'rep_1',
    parent_id: null,
    pull_number: null,
    two_factor_missing: false,
  },
  anonymous,
)

test('access is decided before the input is validated and the handler runs', async () => {
  let ran = 0
  const poke = operation({
    name: 'poke',
    summary: 'Pokes.',
    route: 'POST /repos/{owner}/{name}/poke',
    access: writesRepo('triage'),
    input: Type.Object({ repo: RepoPath, hard: Type.Boolean() }),
    output: Type.Null(),
    handler: () => {
      ran++
      return null
    },
  })
  const { hearth } = makeFloor({ operations: [poke] }, { facts: { repo: () => facts } })
  expect(
    (await caught(call(hearth, poke, anonymous, { repo: 'acme/site', hard: 'maybe' } as never)))
      .status,
  ).toBe(401)
  expect(ran).toBe(0)
})

test('the handler gets its repository from the grant, with the role of the caller', async () => {
  const look = operation({
    name: 'look',
    summary: 'Looks.',
    route: 'GET /repos/{owner}/{name}/look',
    access: readsRepo(),
    input: Type.Object({ repo: RepoPath }),
    output: Type.Object({ id: Type.String(), role: Type.String() }),
    handler: ({ repo }) => ({ id: repo.id, role: repo.role }),
  })
  const { hearth } = makeFloor({ operations: [look] }, { facts: { repo: () => facts } })
  expect(await call(hearth, look, anonymous, { repo: 'acme/site' })).toEqual({
    id: 'rep_1',
    role: 'read',
  })
})

describe('repeated requests', () => {
  const knocked = event('door.knocked', Type.Object({}), () => 'knock')
  const knock = operation({
    name: 'knock',
    summary: 'Knocks.',
    route: 'POST /knock',
    access: publicWrite(),
    input: Type.Object({ at: Type.String() }),
    output: Type.Object({ id: Type.String() }),
    handler: ({ write }, _) =>
      write((tx) => ({ id: tx.append(knocked, { workspace_id: 'wsp_1', repo_id: null }, {}).id })),
  })
  const request = (body: string) => ({
    caller_id: 'tok_1',
    key: 'k',
    operation: 'knock',
    body_hash: body,
  })

  test('the same key gives the first answer again and does the work once, also when both come at the same moment', async () => {
    const { hearth } = makeFloor({ operations: [knock], events: [knocked] })
    let replays = 0
    const idempotency = { ...request('x'), replayed: () => void replays++ }
    const answers = await Promise.all(
      [1, 2, 3].map(() => call(hearth, knock, anonymous, { at: 'x' }, { idempotency })),
    )
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(replays).toBe(2)
    expect(listEvents(hearth.db, { limit: 10 })).toHaveLength(1)
  })

  test('the same key for another request is refused and does nothing', async () => {
    const { hearth } = makeFloor({ operations: [knock], events: [knocked] })
    await call(hearth, knock, anonymous, { at: 'x' }, { idempotency: request('x') })
    const error = await caught(
      call(hearth, knock, anonymous, { at: 'y' }, { idempotency: request('y') }),
    )
    expect([error.status, error.reason]).toEqual([422, 'idempotency_mismatch'])
    expect(listEvents(hearth.db, { limit: 10 })).toHaveLength(1)
  })
})
