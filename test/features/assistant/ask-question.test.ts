import { expect, test } from 'bun:test'
import { askQuestion } from '#features/assistant/ask-question.ts'
import { removeMember } from '#features/workspaces/index.ts'
import { refusal, withToken } from '../../world.ts'
import { makeAskWorld, REPO } from './fixture.ts'

const lastSent = (provider: { asked: readonly { body: unknown }[] }): string =>
  JSON.stringify(provider.asked.at(-1)?.body)

test('a model searches and reads, and its citations become links', async () => {
  const { route, ask, provider } = await makeAskWorld([
    {
      calls: [
        { name: 'read_file', input: { path: 'src/heat.ts' } },
        { name: 'read_issue', input: { number: 1 } },
      ],
    },
    { text: 'In `hot` [[src/heat.ts:2]], see [[#1]] and [[src/heat.ts:1-2]].' },
  ])
  await route()
  const answered = await ask()
  expect(answered).toMatchObject({
    status: 'answered',
    dropped: 0,
    steps: ['read_file src/heat.ts', 'read_issue 1'],
    error: null,
    // Twice 100 tokens of input at $1 and 20 of output at $4 a million.
    cost_usd: 0.00036,
  })
  expect(answered.citations.map(({ label }) => label)).toEqual([
    'src/heat.ts:2',
    '#1',
    'src/heat.ts:1-2',
  ])
  expect(answered.citations[0]?.url).toMatch(
    /\/acme\/site\/blob\/[0-9a-f]{40}\/src\/heat\.ts\?from=2#L2$/,
  )
  expect(answered.answer).toContain(`[#1](<${answered.citations[1]?.url}>)`)
  expect(lastSent(provider)).toContain('2: export const hot = 2')
  expect(lastSent(provider)).toContain('#1 Too hot')
})

test('strikes citations of what is not there', async () => {
  const invented = ['src/none.ts:1', 'src/heat.ts:9', 'src/heat.ts:0', '#77', '../../etc/passwd']
  const elsewhere = ['hidden.ts:1', 'https://evil.example/x', 'secret.bin:1']
  const text = [...invented, ...elsewhere].map((label) => `[[${label}]]`).join(' ')
  const { route, ask } = await makeAskWorld([{ text: `See ${text} or [[src/heat.ts:1]].` }])
  await route()
  const answered = await ask()
  expect(answered.citations.map(({ label }) => label)).toEqual(['src/heat.ts:1'])
  expect(answered.dropped).toBe(8)
  for (const label of [...invented, ...elsewhere]) expect(answered.answer).not.toContain(label)
})

test('an obedient model reads nothing that the person may not', async () => {
  const { route, ask, bob, provider } = await makeAskWorld([
    {
      calls: [
        { name: 'read_file', input: { path: '../other/hidden.ts' } },
        { name: 'search_code', input: { words: 'hidden repo:acme/other' } },
        { name: 'create_token', input: { name: 'x' } },
        { name: 'read_issue', input: { number: -1 } },
        { name: 'read_file', input: 'not an object' },
      ],
    },
    { text: 'I was told to.' },
  ])
  await route()
  const answered = await ask('Do what the README says', bob)
  expect([answered.status, answered.citations]).toEqual(['answered', []])
  const sent = provider.asked[1]?.body.messages ?? []
  const results = (sent as { role: string; content: string }[])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content)
  expect(results).toHaveLength(5)
  for (const result of results) expect(result).not.toContain('hidden\n')
  expect(results[2]).toContain('there is no tool create_token')
})

test('a token asks for no more than it may read itself', async () => {
  const { world, ada, route } = await makeAskWorld([])
  await route()
  const ask = (scopes: string[]) =>
    world.call(askQuestion, withToken(ada, { scopes }), { repo: REPO, question: 'What is in #1?' })
  const all = ['code:read', 'issues:read', 'pulls:read', 'memory:read']
  for (const left of all)
    expect(await refusal(ask(all.filter((scope) => scope !== left)))).toMatchObject({
      status: 403,
      details: { scope: left },
    })
  expect((await ask(all)).status).toBe('answering')
})

test('says what is missing without a model, and is for members', async () => {
  const { world, ada, bob, route } = await makeAskWorld([])
  const ask = (as = ada) => world.call(askQuestion, as, { repo: REPO, question: 'Why?' })
  expect((await refusal(ask())).reason).toBe('model_not_configured')
  await route()
  const eve = await world.user('eve')
  expect((await refusal(ask(eve))).status).toBe(404)
  for (let n = 0; n < 3; n++) await ask(bob)
  expect((await refusal(ask(bob))).reason).toBe('limit_reached')
  await world.jobs()
  expect((await ask(bob)).status).toBe('answering')
  await world.call(removeMember, ada, { workspace: 'acme', username: 'bob' })
  await world.jobs()
  const rows = world.hearth.db.all<{ status: string; answer: string | null }>(
    'SELECT status, answer FROM repo_questions ORDER BY id DESC LIMIT 1',
  )
  expect(rows).toEqual([{ status: 'failed', answer: null }])
})

test('a model that never stops is stopped, and one that fails says so', async () => {
  const endless = Array.from({ length: 20 }, () => ({
    text: 'Still reading.',
    calls: [{ name: 'read_file', input: { path: 'src/heat.ts' } }],
  }))
  const slow = await makeAskWorld(endless)
  await slow.route()
  expect((await slow.ask()).status).toBe('answered')
  expect(slow.provider.asked.length).toBe(8)
  const broken = await makeAskWorld([{ status: 400 }])
  await broken.route()
  expect(await broken.ask()).toMatchObject({ status: 'failed', error: { code: 'model_failed' } })
})
