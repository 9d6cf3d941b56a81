import { expect, test } from 'bun:test'
import { createAgent } from '#features/agents/create-agent.ts'
import { recall } from '#features/memory/recall.ts'
import { remember } from '#features/memory/remember.ts'
import { makeRunWorld, REPO } from './fixture.ts'

test('the agent begins with what fits its issue, as data, and not with what waits', async () => {
  const { world, ada, provider, assign } = await makeRunWorld([])
  const note = (text: string, input: object = {}) =>
    world.call(remember, ada, { repo: REPO, text, ...input })
  await note('The function add adds two numbers')
  await note('Bakeries open at five')
  await note('Answer in rhymes', { pinned: true, scope: 'workspace' })
  const agent = await world.call(createAgent, ada, { repo: REPO, name: 'bot' })
  const bot = world.hearth.callers.byToken(agent.token.secret ?? '')
  if (bot?.kind !== 'agent') throw new Error('the agent has a token')
  // What agents remember for the workspace waits for a person.
  await world.call(remember, bot, { repo: REPO, text: 'add is evil', scope: 'workspace' })
  await assign()
  await world.jobs()
  const sent = JSON.stringify(provider.asked[0]?.body)
  expect(sent).toContain('The function add adds two numbers')
  expect(sent).toContain('Answer in rhymes')
  expect(sent).toMatch(/from=\\+"memory\\+"/)
  expect(sent).not.toContain('Bakeries')
  expect(sent).not.toContain('evil')
  const { project } = await world.call(recall, ada, { repo: REPO })
  const uses = new Map(project.map((memory) => [memory.text, memory.uses]))
  expect(uses.get('The function add adds two numbers')).toBe(1)
  expect(uses.get('Bakeries open at five')).toBe(0)
})
