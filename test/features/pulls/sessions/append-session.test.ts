import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { checksum62 } from '#lib/hash.ts'
import { DAY, MINUTE } from '#lib/time.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { refusal, withToken } from '../../../world.ts'
import { makePullWorld, REPO } from '../fixture.ts'

type Entry = NonNullable<(typeof appendSession)['__input']>['entries'][number]

const makeSession = async () => {
  const forge = await makePullWorld()
  const { world, otto } = forge
  const number = await forge.draft(otto, null)
  return {
    ...forge,
    number,
    append: (
      entries: Entry[],
      caller: Parameters<typeof world.call>[1] = otto,
      expected_seq?: number,
    ) => world.call(appendSession, caller, { repo: REPO, number, entries, expected_seq }),
    read: async () => (await world.call(getSession, otto, { repo: REPO, number })).items,
  }
}

const said = (text = 'Hello'): Entry => ({ kind: 'message', text })

test('numbers entries without gaps and keeps what they say', async () => {
  const { world, append, read, otto, number } = await makeSession()
  expect(
    await append([
      said('One'),
      { kind: 'tool', text: 'ran it', tool: 'bash', data: { input: { command: 'ls' }, ok: true } },
    ]),
  ).toEqual({ appended: 2, last_seq: 2 })
  const sha = 'a'.repeat(40)
  expect(
    await append([{ kind: 'odd_kind', text: '', at: '2026-03-01T10:00:00+02:00', sha }]),
  ).toEqual({ appended: 1, last_seq: 3 })
  expect(await read()).toMatchObject([
    {
      seq: 1,
      kind: 'message',
      text: 'One',
      tool: null,
      at: '2026-03-01T12:00:00.000Z',
      author: { username: 'otto' },
      sha: null,
      data: null,
      truncated: false,
      redacted: false,
    },
    { seq: 2, kind: 'tool', tool: 'bash', data: { input: { command: 'ls' }, ok: true } },
    { seq: 3, kind: 'odd_kind', text: '', at: '2026-03-01T08:00:00.000Z', sha },
  ])
  expect((await world.call(getPull, otto, { repo: REPO, number })).session).toEqual({
    entries: 3,
    last_seq: 3,
    last_at: '2026-03-01T12:00:00.000Z',
    cost_usd: null,
  })
})

test('nothing happened after it arrived', async () => {
  const { append, read } = await makeSession()
  await append([{ ...said(), at: '2030-01-01T00:00:00Z' }])
  expect((await read())[0]?.at).toBe('2026-03-01T12:00:00.000Z')
})

test('an entry belongs to the head of its time unless it says otherwise', async () => {
  const { world, append, read, fork, number, otto, pull } = await makeSession()
  await world.commit(fork(number), 'main', { 'c.txt': 'c\n' }, { as: otto })
  await append([said()])
  expect((await read()).at(-1)?.sha).toBe(pull(number).head_sha)
})

test('what it cost is added up', async () => {
  const { world, append, number, otto } = await makeSession()
  const usage = (cost_usd: unknown): Entry => ({
    kind: 'usage',
    text: '',
    data: { model: 'm', cost_usd },
  })
  await append([usage(0.25), usage(0.5), usage('3'), usage(-1)])
  await append([usage(1)])
  expect((await world.call(getPull, otto, { repo: REPO, number })).session.cost_usd).toBe(1.75)
})

describe('all or nothing', () => {
  test('one bad entry names its place, and none is kept', async () => {
    const { append, read, world } = await makeSession()
    const cases: [Entry, string][] = [
      [{ kind: 'tool', text: 'x' }, 'entries[1].tool'],
      [{ kind: 'Bad Kind', text: 'x' }, 'entries[1].kind'],
      [{ kind: 'message' } as Entry, 'entries[1].text'],
      [{ ...said(), at: 'yesterday' }, 'entries[1].at'],
      [{ ...said(), sha: 'abc' }, 'entries[1].sha'],
      [{ ...said(), data: { text: 'x'.repeat(17_000) } }, 'entries[1].data'],
    ]
    for (const [entry, field] of cases)
      expect(await refusal(append([said(), entry]))).toMatchObject({ status: 422, field })
    expect(await refusal(append([]))).toMatchObject({ status: 422, field: 'entries' })
    expect(await refusal(append(Array.from({ length: 201 }, () => said())))).toMatchObject({
      status: 422,
      field: 'entries',
    })
    expect(
      await refusal(append(Array.from({ length: 70 }, () => said('x'.repeat(65_000))))),
    ).toMatchObject({ status: 413 })
    expect(await read()).toEqual([])
    expect(world.events('session.appended')).toEqual([])
  })

  test('expected_seq stops a retry from adding twice', async () => {
    const { append, read } = await makeSession()
    await append([said()], undefined, 0)
    expect(await refusal(append([said()], undefined, 0))).toMatchObject({
      status: 409,
      reason: 'head_moved',
      details: { last_seq: 1 },
    })
    expect(await append([said()], undefined, 1)).toEqual({ appended: 1, last_seq: 2 })
    const both = await Promise.allSettled([
      append([said()], undefined, 2),
      append([said()], undefined, 2),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await read()).toHaveLength(3)
  })

  test('a session has an end', async () => {
    const { world, append, number, row, count } = await makeSession()
    await world.write((tx) =>
      tx.db.run(
        'UPDATE pulls SET session_entries = 99999 WHERE repo_id = ? AND number = ?',
        row().id,
        number,
      ),
    )
    expect(await refusal(append([said(), said()]))).toMatchObject({
      status: 409,
      reason: 'limit_reached',
    })
    expect(count('session_entries')).toBe(0)
    expect(await append([said()])).toEqual({ appended: 1, last_seq: 100_000 })
  })
})

describe('what is kept of a text', () => {
  test('secrets are taken out of text and data', async () => {
    const { append, read } = await makeSession()
    const start = `hthu_${'Ab3'.repeat(13)}x`
    const token = start + checksum62(start)
    await append([
      {
        kind: 'message',
        text: `use ${token} now`,
        data: { env: { TOKEN: token }, list: ['AKIAIOSFODNN7EXAMPLE'] },
      },
    ])
    const [entry] = await read()
    expect(entry).toMatchObject({
      text: 'use [redacted:hearth-token] now',
      redacted: true,
      truncated: false,
      data: { env: { TOKEN: '[redacted:hearth-token]' }, list: ['[redacted:aws-access-key]'] },
    })
  })

  test('a long text is cut, and a secret at the cut is not left in half', async () => {
    const { append, read } = await makeSession()
    const secret = `ghp_${'a'.repeat(36)}`
    await append([
      said(`${'x'.repeat(65_520)} ${secret}`),
      said(`${'x'.repeat(65_535)}😀`),
      said('y'.repeat(65_536)),
    ])
    const [first, second, third] = await read()
    expect(first).toMatchObject({ truncated: true, redacted: true })
    expect(first?.text).not.toContain('ghp_')
    expect(second?.text).toHaveLength(65_535)
    expect(third).toMatchObject({ truncated: false })
  })
})

describe('who', () => {
  test('the author, the agent that acts for them, and the person that an agent acts for; nobody else', async () => {
    const { world, ada, mel, otto, append, agent, draft, count } = await makeSession()
    const own = await agent(otto)
    const other = await agent(mel, 'other')
    for (const caller of [ada, mel, other])
      expect(await refusal(append([said()], caller))).toMatchObject({ status: 403, reason: 'role' })
    expect(await refusal(append([said()], anonymous))).toMatchObject({ status: 401 })
    expect(
      await refusal(append([said()], withToken(otto, { scopes: ['pulls:read'] }))),
    ).toMatchObject({ status: 403, reason: 'scope' })
    expect(count('session_entries')).toBe(0)
    expect(await append([said()], own)).toEqual({ appended: 1, last_seq: 1 })
    const agents = await draft(other, null)
    expect(
      await world.call(appendSession, mel, { repo: REPO, number: agents, entries: [said()] }),
    ).toEqual({ appended: 1, last_seq: 1 })
  })

  test('for a day after the end', async () => {
    const { world, append, otto, number } = await makeSession()
    await world.call(closePull, otto, { repo: REPO, number })
    world.clock.advance(DAY)
    expect((await append([said()])).last_seq).toBe(1)
    world.clock.advance(1)
    expect(await refusal(append([said()]))).toMatchObject({ status: 409, reason: 'not_open' })
  })
})

test('the timeline is told once a minute, and of everything in the end', async () => {
  const { world, append, number } = await makeSession()
  const told = () => world.events('session.appended').map(({ data }) => data)
  await append([said()])
  await append([said(), said()])
  world.clock.advance(30_000)
  await append([said()])
  await world.jobs()
  expect(told()).toEqual([{ number, from_seq: 1, last_seq: 1 }])
  world.clock.advance(MINUTE)
  await world.jobs()
  expect(told()).toEqual([
    { number, from_seq: 1, last_seq: 1 },
    { number, from_seq: 2, last_seq: 4 },
  ])
  expect(world.events('session.appended').at(-1)?.actor_id).not.toBeNull()
  world.clock.advance(MINUTE)
  await append([said()])
  await world.jobs()
  expect(told().at(-1)).toEqual({ number, from_seq: 5, last_seq: 5 })
})
