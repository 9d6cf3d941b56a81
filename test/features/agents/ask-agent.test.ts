import { describe, expect, test } from 'bun:test'
import type { AgentCaller } from '#core/caller.ts'
import { askAgent } from '#features/agents/ask-agent.ts'
import { sweepQuestions } from '#features/agents/questions.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { DAY } from '#lib/time.ts'
import { refusal, withToken } from '../../world.ts'
import { makeAgentWorld, REPO } from './fixture.ts'

async function setUp() {
  const all = await makeAgentWorld()
  const { world, start, draft } = all
  const asking = (
    await start({ name: 'asker', role: 'read', scopes: ['pulls:write', 'repo:read'] })
  ).caller() as AgentCaller
  const worker = (await start({ name: 'worker' })).caller() as AgentCaller
  const number = await draft(worker, null, { agent: 'worker' })
  const question = (id: string) =>
    world.hearth.db.one<Record<string, unknown>>('SELECT * FROM agent_questions WHERE id = ?', id)
  return { ...all, asking, worker, number, question }
}

describe('a question', () => {
  test('a question appears in the session, notifies, and is answered there', async () => {
    const { world, asking, worker, number, question } = await setUp()
    const made = await world.call(askAgent, asking, {
      repo: REPO,
      number,
      text: ' Do you keep the old route? ',
    })
    expect(made).toMatchObject({
      pull: number,
      from: { username: 'ada/asker' },
      from_pull: null,
      text: 'Do you keep the old route?',
      state: 'waiting',
      answer: null,
      answered_at: null,
    })
    expect(made.id).toStartWith('qst_')
    expect(world.events('agent.asked').map(({ actor_id, data }) => ({ actor_id, data }))).toEqual([
      { actor_id: asking.id, data: { number, question: made.id, from_pull: null } },
    ])

    const told: (readonly string[])[] = []
    const { items } = await world.call(
      getSession,
      worker,
      { repo: REPO, number },
      { untrusted: (pointers) => void told.push(pointers) },
    )
    expect(items.at(-1)).toMatchObject({
      seq: made.seq,
      kind: 'question',
      text: made.text,
      author: { id: asking.id },
      data: { question: made.id, from_pull: null, to: 'worker' },
    })
    // The owner's question is also marked as someone else's text.
    expect(told[0]).toContain(`/items/${items.length - 1}/text`)

    const { last_seq } = await world.call(appendSession, worker, {
      repo: REPO,
      number,
      entries: [
        { kind: 'message', text: 'Thinking.' },
        { kind: 'answer', text: `Yes. ${'y'.repeat(900)}`, data: { of: made.seq } },
      ],
    })
    expect(question(made.id)).toMatchObject({
      state: 'answered',
      answer: `Yes. ${'y'.repeat(900)}`,
      answered_at: expect.any(String),
    })
    const again = (
      await world.call(getSession, asking, { repo: REPO, number, kind: 'question' })
    ).items.find(({ seq }) => seq === made.seq)
    expect(again?.data).toMatchObject({ question: made.id, answered_by: last_seq })
    // Only the first answer counts.
    await world.call(appendSession, worker, {
      repo: REPO,
      number,
      entries: [{ kind: 'answer', text: 'No.', data: { of: made.seq } }],
    })
    expect(question(made.id)).toMatchObject({
      state: 'answered',
      answer: `Yes. ${'y'.repeat(900)}`,
    })
  })

  test('ends after seven days; a late answer stays an entry and nothing else', async () => {
    const { world, ada, number, question } = await setUp()
    const { id, seq } = await world.call(askAgent, ada, {
      repo: REPO,
      number,
      text: 'Still there?',
    })
    const sweep = async () => {
      await world.write((tx) => tx.enqueue(sweepQuestions, null))
      await world.jobs()
    }
    world.clock.advance(7 * DAY - 1)
    await sweep()
    expect(question(id)).toMatchObject({ state: 'waiting' })
    world.clock.advance(DAY)
    await sweep()
    expect(question(id)).toMatchObject({ state: 'expired', answer: null })
    await world.call(appendSession, ada, {
      repo: REPO,
      number,
      entries: [{ kind: 'answer', text: 'Late.', data: { of: seq } }],
    })
    expect(question(id)).toMatchObject({ state: 'expired', answer: null })
  })

  test('holds no secret, is asked for a pull request that one may speak for, and not without end', async () => {
    const { world, ada, mel, asking, number, draft } = await setUp()
    const other = await draft(mel, null)
    const secret = `ghp_${'a'.repeat(36)}`
    const { text } = await world.call(askAgent, ada, {
      repo: REPO,
      number,
      from_pull: other,
      text: `Use ${secret}?`,
    })
    expect(text).toBe('Use [redacted:github-token]?')
    expect(
      world.hearth.db.all('SELECT 1 FROM session_entries WHERE text LIKE ?', `%${secret}%`),
    ).toEqual([])
    const ask = (input: Record<string, unknown>, as = ada as Parameters<typeof world.call>[1]) =>
      refusal(world.call(askAgent, as, { repo: REPO, number, text: 'x', ...input }))
    expect(await ask({ from_pull: number })).toMatchObject({ status: 422, field: 'from_pull' })
    expect(await ask({ from_pull: 999 })).toMatchObject({ status: 422, field: 'from_pull' })
    expect(await ask({ from_pull: other }, asking)).toMatchObject({ status: 403, reason: 'role' })
    expect(await ask({ text: ' \n ' })).toMatchObject({ status: 422, field: 'text' })
    expect(await ask({ text: 'x'.repeat(8_001) })).toMatchObject({ status: 422, field: 'text' })
    for (let n = 1; n < 20; n++)
      await world.call(askAgent, ada, { repo: REPO, number, text: `Question ${n}` })
    expect(await ask({})).toMatchObject({ status: 409, reason: 'limit_reached' })
  })
})

describe('who asks', () => {
  test('agents of the repository whatever their role, and people with write; nobody else', async () => {
    const { world, mel, otto, asking, number } = await setUp()
    const before = world.events().length
    expect(
      await refusal(world.call(askAgent, otto, { repo: REPO, number, text: 'x' })),
    ).toMatchObject({ status: 403, reason: 'role' })
    expect(
      await refusal(
        world.call(askAgent, withToken(mel, { role: 'triage' }), { repo: REPO, number, text: 'x' }),
      ),
    ).toMatchObject({ status: 403, reason: 'role' })
    expect(world.events().length).toBe(before)
    expect((await world.call(askAgent, mel, { repo: REPO, number, text: 'x' })).from.username).toBe(
      'mel',
    )
    expect(
      (await world.call(askAgent, asking, { repo: REPO, number, text: 'x' })).from.username,
    ).toBe('ada/asker')
  })

  test('a closed pull request cannot be asked', async () => {
    const { world, ada, number } = await setUp()
    await world.call(closePull, ada, { repo: REPO, number })
    const before = world.events().length
    expect(
      await refusal(world.call(askAgent, ada, { repo: REPO, number, text: 'x' })),
    ).toMatchObject({ status: 409, reason: 'not_open' })
    expect(world.events().length).toBe(before)
  })
})

describe('whom it is told', () => {
  test('the person who works there without an agent hears of it; what is asked of an agent is for the agent', async () => {
    const { world, mel, ada, asking, number, draft } = await setUp()
    const byHand = await draft(mel, null)
    await world.call(askAgent, asking, { repo: REPO, number: byHand, text: 'May I rename it?' })
    await world.call(askAgent, asking, { repo: REPO, number, text: 'And you?' })
    await world.jobs()
    const waiting = async (person: typeof mel) =>
      (await world.call(listNotifications, person, {})).items.filter(
        ({ reason }) => reason === 'agent_waiting',
      )
    expect((await waiting(mel)).map(({ subject }) => subject.title)).toEqual([
      'ada/asker asks: May I rename it?',
    ])
    expect(await waiting(ada)).toEqual([])
  })

  test('whom an agent names in its own session may answer, once and nothing else', async () => {
    const { world, worker, mel, max, number } = await setUp()
    const { last_seq: of } = await world.call(appendSession, worker, {
      repo: REPO,
      number,
      entries: [{ kind: 'question', text: 'Which colour?', data: { to: '@mel' } }],
    })
    const say = (
      as: typeof mel,
      entry: { kind: string; text: string; data?: Record<string, unknown> },
    ) => world.call(appendSession, as, { repo: REPO, number, entries: [entry] })
    expect(await refusal(say(max, { kind: 'answer', text: 'Blue.', data: { of } }))).toMatchObject({
      status: 403,
      reason: 'role',
    })
    expect(await refusal(say(mel, { kind: 'message', text: 'Hello.' }))).toMatchObject({
      status: 403,
      reason: 'role',
    })
    expect(
      await refusal(say(mel, { kind: 'answer', text: 'Hello.', data: { of: of + 1 } })),
    ).toMatchObject({ status: 403, reason: 'role' })
    await say(mel, { kind: 'answer', text: 'Green.', data: { of } })
    expect(
      await refusal(say(mel, { kind: 'answer', text: 'No, red.', data: { of } })),
    ).toMatchObject({ status: 403, reason: 'role' })
  })
})
