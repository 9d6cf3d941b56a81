/** Reviews by a model, from a pull request that turns ready to comments on its lines. */
import { expect, test } from 'bun:test'
import { getPull } from '#features/pulls/get-pull.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { listAgents } from '#features/agents/list-agents.ts'
import type { Asked, Reply } from '../../../models/provider.ts'
import { refusal } from '../../../world.ts'
import { makeModelWorld, MODELS } from '../../integrations/fixture.ts'
import { use } from '../fixture.ts'

const REPO = 'acme/site'

type Step = Reply | ((asked: Asked) => Reply)

async function makeReviewWorld(steps: readonly Step[]) {
  const script = (asked: Asked, number: number): Reply => {
    const step = steps[number] ?? {}
    return typeof step === 'function' ? step(asked) : step
  }
  const base = await makeModelWorld(script)
  const { world, ada, bob, provider, connect } = base
  await world.repo(REPO, { as: ada })
  await world.commit(REPO, 'main', { 'src/add.js': 'export const add = (a, b) => a - b\n' })
  const turnOn = () => world.call(updateRepoSettings, ada, { repo: REPO, agent_review: true })
  const connectModel = async (models: object[] = MODELS) => {
    const { id } = await connect({ config: { base_url: provider.url, models } })
    await world.call(setModelRoutes, ada, {
      workspace: 'acme',
      routes: [{ task: 'review', integration: id, model: 'small' }],
    })
  }
  const open = async (more: Record<string, string> = {}) => {
    await world.commit(REPO, 'topic', {
      'src/add.js': 'export const add = (a, b) => a * b\n',
      ...more,
    })
    const { pull } = await world.call(createPull, bob, {
      repo: REPO,
      title: 'Add, not subtract',
      branch: 'topic',
    })
    await world.jobs()
    return pull.number
  }
  const read = (number: number) => world.call(getPull, ada, { repo: REPO, number })
  return { ...base, turnOn, connectModel, open, read }
}

const REVIEW = {
  verdict: 'request_changes',
  summary: 'It multiplies.',
  comments: [
    {
      path: 'src/add.js',
      line: 1,
      severity: 'high',
      body: 'This multiplies.',
      suggestion: 'export const add = (a, b) => a + b',
    },
  ],
}

test('what is ready is reviewed once for each head, with comments on its lines', async () => {
  const { world, ada, bob, provider, turnOn, connectModel, open, read, db } = await makeReviewWorld(
    [
      use('read', { path: 'src/add.js' }),
      use('review', REVIEW),
      use('review', { verdict: 'comment', summary: 'Good now.', comments: [] }),
    ],
  )
  expect((await refusal(turnOn())).reason).toBe('model_not_configured')
  await connectModel()
  expect((await turnOn()).agent_review).toBe(true)
  const number = await open()
  const { reviews, comments, approvals } = await read(number)
  expect(reviews).toMatchObject([
    { verdict: 'request_changes', body: 'It multiplies.', why_not_counted: 'own' },
  ])
  expect(reviews[0]?.author).toMatchObject({ kind: 'agent', username: 'bob/reviewer' })
  expect(approvals.counted).toBe(0)
  expect(comments).toMatchObject([
    {
      path: 'src/add.js',
      line: 1,
      suggestion: { text: 'export const add = (a, b) => a + b' },
    },
  ])
  const sent = JSON.stringify(provider.asked)
  expect(sent).toContain('+1 export const add = (a, b) => a * b')
  const { items: agents } = await world.call(listAgents, ada, { repo: REPO })
  expect(agents).toMatchObject([{ name: 'reviewer', pull: number, state: 'idle' }])
  expect(agents[0]?.cost_usd).toBeGreaterThan(0)

  await world.commit(
    REPO,
    'topic',
    { 'src/add.js': 'export const add = (a, b) => a + b\n' },
    { as: bob },
  )
  await world.jobs()
  expect((await read(number)).reviews.map(({ verdict }) => verdict)).toEqual([
    'request_changes',
    'comment',
  ])
  await world.jobs()
  expect(provider.asked).toHaveLength(3)
  expect(db.all('SELECT state, taken FROM agent_reviews')).toEqual([{ state: 'done', taken: 2 }])
})

test('a draft is not reviewed, nor is anything where the setting is off', async () => {
  const { world, provider, turnOn, connectModel, open } = await makeReviewWorld([])
  await connectModel()
  await open()
  await turnOn()
  const bob = await world.user('bob')
  const { pull } = await world.call(createPull, bob, { repo: REPO, title: 'A draft' })
  expect(pull.status).toBe('draft')
  await world.jobs()
  expect(provider.asked).toHaveLength(0)
})

test('an approval by the model is refused, and lines outside of the change are asked for again', async () => {
  const outside = { ...REVIEW, comments: [{ ...REVIEW.comments[0], line: 900 }] }
  const { provider, turnOn, connectModel, open, read } = await makeReviewWorld([
    use('review', outside),
    use('review', outside),
  ])
  await connectModel()
  await turnOn()
  const number = await open()
  const { reviews, comments } = await read(number)
  expect(reviews).toHaveLength(1)
  expect(reviews[0]?.body).toContain('`src/add.js`, line 900: This multiplies.')
  expect(comments).toEqual([])
  expect(JSON.stringify(provider.asked[1]?.body)).toContain('line 900')

  const approving = await makeReviewWorld([
    use('review', { ...REVIEW, verdict: 'approve' }),
    use('review', { ...REVIEW, verdict: 'approve' }),
  ])
  await approving.connectModel()
  await approving.turnOn()
  const second = await approving.open()
  expect((await approving.read(second)).reviews).toEqual([])
  const { items } = await approving.world.call(getSession, approving.ada, {
    repo: REPO,
    number: second,
  })
  expect(items.find(({ kind }) => kind === 'error')).toMatchObject({
    data: { code: 'review_failed' },
  })
})

test('the reviewer reads and reviews for its author, and can do nothing else', async () => {
  const { world, turnOn, connectModel, open, db } = await makeReviewWorld([
    use('run', { command: 'id' }),
    use('review', REVIEW),
  ])
  await connectModel()
  await turnOn()
  await open()
  const scopes: unknown = JSON.parse(
    db.one<{ scopes: string }>('SELECT scopes FROM agents')?.scopes ?? '[]',
  )
  expect(scopes).toEqual(['repo:read', 'code:read', 'issues:read', 'pulls:write'])
  const { items } = await world.call(listAgents, await world.user('ada'), { repo: REPO })
  expect(items).toHaveLength(1)
})

test('a model that reads little is sent as much of the change as fits', async () => {
  const { provider, turnOn, connectModel, open, read } = await makeReviewWorld([
    use('review', { verdict: 'comment', summary: 'Seen.', comments: [] }),
  ])
  await connectModel([{ id: 'small', context_tokens: 8_000 }])
  await turnOn()
  const line = `${'word '.repeat(15)}\n`
  const number = await open({
    'src/large.txt': line.repeat(230),
    'src/larger.txt': line.repeat(240),
    'src/new.txt': 'new\n',
  })
  expect((await read(number)).reviews).toHaveLength(1)
  const body = provider.asked[0]?.body
  const sent = JSON.stringify(body)
  expect(sent.length / 3.5 + Number(body?.max_tokens)).toBeLessThan(8_000)
  for (const text of [
    '(a, b) => a * b',
    'src/large.txt: not shown, the change is too long',
    '+1 new',
  ])
    expect(sent).toContain(text)
})
