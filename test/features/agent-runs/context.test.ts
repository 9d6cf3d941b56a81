/** Models that read little at once, as those on one's own machine do. */
import { expect, test } from 'bun:test'
import { listIntegrations } from '#features/integrations/list-integrations.ts'
import { updateIntegration } from '#features/integrations/update-integration.ts'
import type { Asked } from '../../models/provider.ts'
import { makeRunWorld, REPO, use } from './fixture.ts'

const CONTEXT_TOKENS = 8_000
const ROUNDS = 12
const tokensOf = ({ body: { messages, tools } }: Asked): number =>
  Math.ceil(JSON.stringify({ messages, tools }).length / 3.5)

type Message = {
  role: string
  content: string | null
  tool_call_id?: string
  tool_calls?: { id: string }[]
}

/** Each begins at another line, because the same call again and again is a loop. */
const readsOfLines = (count: number) =>
  Array.from({ length: count }, (_, at) => use('read', { path: 'long.txt', from: at + 1 }))

test('a conversation fits the model, and keeps the issue and the newest turns', async () => {
  const { world, ada, assign, run, provider } = await makeRunWorld([
    ...readsOfLines(ROUNDS),
    use('write', { path: 'a', content: 'a' }),
    use('submit', { message: 'a' }),
    use('finish', { summary: 'a' }),
  ])
  // Each result is about 2,000 tokens.
  await world.commit(REPO, 'main', { 'long.txt': `${'word '.repeat(12)}\n`.repeat(130) })
  const [integration] = (await world.call(listIntegrations, ada, { workspace: 'acme' })).items
  await world.call(updateIntegration, ada, {
    workspace: 'acme',
    id: integration?.id ?? '',
    config: {
      ...integration?.config,
      models: [{ id: 'small', context_tokens: CONTEXT_TOKENS, max_output_tokens: 1_000 }],
    },
  })
  await assign()
  await world.jobs()
  expect(run()?.state).toBe('resting')
  const counts = provider.asked.map(tokensOf)
  expect(counts).toHaveLength(ROUNDS + 3)
  for (const [at, { body }] of provider.asked.entries())
    expect(Number(counts[at]) + Number(body.max_tokens)).toBeLessThanOrEqual(CONTEXT_TOKENS)
  // More than one result fits, so it is not cut to nothing.
  expect(Math.max(...counts)).toBeGreaterThan(4_000)
  for (const { body } of provider.asked) {
    const messages = body.messages as Message[]
    expect(JSON.stringify(messages)).toContain('It should add.')
    // Each call that is sent has its result, and the other way round.
    const called = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id))
    const results = messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])
    expect(results).toEqual(called)
    // Templates of small models want turns of people and of the model in turn.
    const roles = messages.map(({ role }) => role)
    expect(roles.some((role, at) => role === 'user' && roles[at - 1] === 'user')).toBe(false)
  }
  const last = JSON.stringify(provider.asked.at(-1)?.body)
  expect(last).toContain('Earlier turns of yours are left out')
  expect(last).toContain('Committed ')
})

test('a long conversation is cut in steps, so that its beginning stays in the cache', async () => {
  const rounds = 20
  const { world, assign, run, provider } = await makeRunWorld([
    ...readsOfLines(rounds),
    use('ask', { question: 'What?' }),
  ])
  // Sixteen results are more than the 120,000 bytes of a conversation.
  await world.commit(REPO, 'main', { 'long.txt': `${'word '.repeat(15)}\n`.repeat(100) })
  await assign()
  await world.jobs()
  expect(run()?.state).toBe('waiting')
  const sent = provider.asked.map(({ body }) => JSON.stringify(body.messages).slice(0, -1))
  const isLonger = sent.slice(1).map((text, at) => text.startsWith(sent[at] ?? ''))
  expect(isLonger).toHaveLength(rounds)
  // Six turns at once; without steps, each of the last five calls would have another beginning.
  expect(isLonger.filter((is) => !is)).toHaveLength(2)
})
