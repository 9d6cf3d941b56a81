/** What people say to the built-in agent: questions, mentions, and more work after it has finished. */
import { describe, expect, test } from 'bun:test'
import { resumeAgent } from '#features/agent-runs/resume-agent.ts'
import { askAgent } from '#features/agents/ask-agent.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import type { Reply } from '../../models/provider.ts'
import { refusal } from '../../world.ts'
import { makeRunWorld, REPO, use, type Step } from './fixture.ts'

const SUBMIT = [
  use('write', { path: 'a', content: 'a' }),
  use('submit', { message: 'a' }),
  use('finish', { summary: 'a' }),
]

/** Ends with work that is handed over; `more` is what the model does then. `sent` is its last prompt. */
async function handedOver(...more: Step[]) {
  const sent: string[] = []
  const noted =
    (reply: Step): Step =>
    (asked) => {
      sent.push(JSON.stringify(asked.body.messages))
      return typeof reply === 'function' ? reply(asked) : reply
    }
  const base = await makeRunWorld([...SUBMIT, ...more].map(noted))
  const { pull } = await base.assign()
  await base.world.jobs()
  expect(base.run()?.state).toBe('resting')
  return { ...base, number: pull.number, sent, on: { repo: REPO, number: pull.number } }
}

const answerTo = (of: number): Reply =>
  use('forge', {
    name: 'append_session',
    arguments: { number: 2, entries: [{ kind: 'answer', text: 'For the tests.', data: { of } }] },
  })

test('a question wakes it, and it answers in its session', async () => {
  let of = 0
  const { world, bob, run, on, number, sent, entries } = await handedOver(
    () => answerTo(of),
    use('finish', { summary: 'a' }),
  )
  const asked = await world.call(askAgent, bob, { ...on, text: 'Why is there a file a?' })
  of = asked.seq
  expect(run()?.state).toBe('queued')
  await world.jobs()
  expect(sent[3]).toContain('Why is there a file a?')
  expect(sent[3]).toContain('question of bob')
  expect(run()?.state).toBe('resting')
  const answer = (await entries(number)).find(({ kind }) => kind === 'answer')
  expect(answer).toMatchObject({
    text: 'For the tests.',
    data: { of },
    author: { username: 'ada/agent' },
  })
})

test('a question that comes while it finishes is read before it rests', async () => {
  let ask = async (): Promise<unknown> => null
  let isAsked = false
  const base = await makeRunWorld([
    ...SUBMIT.slice(0, 2),
    () => ({ ...use('finish', { summary: 'a' }), after: ask() }),
    ({ body }) => {
      isAsked = JSON.stringify(body.messages).includes('Is it fast?')
      return use('finish', { summary: 'a' })
    },
  ])
  const { world, bob, assign, run, provider } = base
  const { pull } = await assign()
  ask = () => world.call(askAgent, bob, { repo: REPO, number: pull.number, text: 'Is it fast?' })
  await world.jobs()
  expect([run()?.state, isAsked, provider.asked.length]).toEqual(['resting', true, 4])
})

describe('a comment that mentions it', () => {
  for (const name of ['@agent', '@ada/agent'])
    test(`sends it back to work: ${name}`, async () => {
      const { world, bob, run, on, number, sent, entries } = await handedOver(
        use('write', { path: 'b', content: 'b' }),
        use('submit', { message: 'b' }),
        use('finish', { summary: 'a and b' }),
      )
      await world.call(addComment, bob, { ...on, body: `${name} add a file b, please` })
      await world.jobs()
      expect(run()?.state).toBe('resting')
      expect(sent[3]).toContain('comment of bob')
      const session = await entries(number)
      expect(session.findLast(({ kind }) => kind === 'summary')?.text).toBe('a and b')
      expect(session).toContainEqual(
        expect.objectContaining({ text: `${name} add a file b, please`, kind: 'message' }),
      )
    })

  test('starts nothing from people without Write, in code, or of another agent', async () => {
    const { world, ada, bob, run, on, db, provider } = await handedOver()
    const tom = await world.user('tom')
    await world.write((tx) =>
      tx.db.run(
        `INSERT INTO collaborators (repo_id, user_id, role, added_by, added_at)
         SELECT id, ?, 'triage', ?, ? FROM repos WHERE parent_id IS NULL`,
        tom.id,
        ada.id,
        tx.now,
      ),
    )
    await world.call(addComment, tom, { ...on, body: '@agent add a file' })
    await world.call(addComment, bob, { ...on, body: '`@agent` is a name; @bob/agent is another' })
    await world.jobs()
    expect([run()?.state, provider.asked.length]).toEqual(['resting', 3])
    expect(db.all(`SELECT * FROM agent_turns WHERE text LIKE '%mentions you%'`)).toEqual([])
  })
})

test('whoever gave it the issue sends finished work back with a message', async () => {
  const { world, ada, run, number, sent, entries } = await handedOver(
    use('write', { path: 'b', content: 'b' }),
    use('submit', { message: 'b' }),
    use('finish', { summary: 'a and b' }),
  )
  const target = { repo: REPO, id: run()?.agent_id ?? '' }
  expect((await refusal(world.call(resumeAgent, ada, target))).message).toContain('say in message')
  await world.call(resumeAgent, ada, { ...target, message: 'Add b too.' })
  await world.jobs()
  expect(sent[3]).toContain('Add b too.')
  expect(run()?.state).toBe('resting')
  expect(await entries(number)).toContainEqual(
    expect.objectContaining({ kind: 'message', text: 'Add b too.', data: { role: 'user' } }),
  )
})
