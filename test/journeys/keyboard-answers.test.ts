/**
 * What waits for a person, done with the keyboard alone: an agent that asks, a deployment, a plan, alerts, the
 * settings of a package, a new mirror.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { madeUpToken } from '../features/security/secrets/fixture.ts'
import { startModelServer, type Asked, type Reply, type ToolUse } from '../models/model-server.ts'
import { asker } from '../tour/story.ts'
import { claim, startForge, visitor, type Forge } from './forge.ts'
import { Keyboard, messageOf, until } from './keyboard.ts'

const QUESTION = 'Short or long?'

/** What the agent does, turn by turn. */
const TURNS: readonly ToolUse[] = [
  { name: 'ask', input: { question: QUESTION } },
  { name: 'write', input: { path: 'wick.txt', content: 'short\n' } },
  { name: 'submit', input: { message: 'Cut the wick' } },
  { name: 'finish', input: { summary: 'The wick is short.' } },
]
const answerAs = ({ body }: Asked): Reply => {
  const turns = (body.messages as { role: string }[]).filter(({ role }) => role === 'assistant')
  const next = TURNS[turns.length]
  return next ? { calls: [next] } : {}
}

const WORKFLOW =
  '{on: push, jobs: {ship: {runs-on: nowhere, environment: production, steps: [{run: echo}]}}}\n'

let forge: Forge
let page: Page
let problems: string[]
let keys: Keyboard
let token: string
let ask: ReturnType<typeof asker>
const model = startModelServer(answerAs)
afterAll(() => model.stop())

const LAMP = '/repos/ada/lamp'
const list = async (path: string): Promise<Record<string, unknown>[]> =>
  (await ask('GET', path)) as unknown as Record<string, unknown>[]

const commit = (path: string, content: string) =>
  ask('POST', `${LAMP}/commits`, {
    branch: 'main',
    message: `Add ${path}`,
    files: [{ path, action: 'put', content }],
  })

beforeAll(async () => {
  forge = await startForge({
    environment: {
      HEARTH_INTEGRATIONS_ALLOW: 'http://127.0.0.1',
      HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1',
    },
  })
  ;({ page, problems } = await visitor())
  token = await claim(page, forge)
  keys = new Keyboard(page)
  ask = asker(forge.url, token)
  await ask('POST', '/repos', { workspace: 'ada', name: 'lamp' })
  await commit('README.md', '# Lamp\n')
  await page.goto(forge.url)
}, 120_000)

test('an agent that asks is answered on the start page', async () => {
  const { id } = await ask('POST', '/workspaces/ada/integrations', {
    provider: 'chat_completions',
    config: { base_url: model.url },
    secret: 'sk-test',
  })
  await ask('PUT', '/workspaces/ada/model-routes', {
    routes: [{ task: 'default', integration: id, model: 'small' }],
  })
  await ask('POST', `${LAMP}/issues`, { title: 'Cut the wick' })
  await ask('POST', `${LAMP}/issues/1/assign`, {})
  await until(async () => (await list('/notifications?reason=agent_waiting'))[0])
  await page.reload()
  await page.waitForSelector(`main :text("${QUESTION}")`)
  await keys.fill(/^textarea Your answer/, 'Short.')
  await keys.follow(/^button Resume agent/, /\/ada\/lamp\/pull\/2\/session$/)
  await page.waitForSelector('main :text-is("Short.")')
  await until(async () => {
    const { status } = await ask('GET', `${LAMP}/pulls/2`)
    return status === 'open' ? true : undefined
  })
  expect(problems).toEqual([])
})

test('a deployment is approved', async () => {
  await ask('PUT', `${LAMP}/environments/production`, {
    reviewers: ['ada'],
    prevent_self_review: false,
  })
  await commit('.hearth/workflows/ship.yml', WORKFLOW)
  await until(async () => (await list(`${LAMP}/deployments?state=waiting`))[0])
  await keys.jumpTo('lamp', 'lamp', /\/ada\/lamp$/)
  await keys.follow(/^a Runs/, /\/ada\/lamp\/runs$/)
  await keys.follow(/^a Add \.hearth/, /\/runs\/run_/)
  await keys.fill(/^input Comment/, 'Ship it.')
  const approve = 'button:has-text("Approve and deploy")'
  await keys.pressFor(/^button Approve and deploy/, approve, { gone: true })
  // A job lets the deployment go on.
  await until(async () =>
    (await list(`${LAMP}/deployments?state=waiting`)).length === 0 ? true : undefined,
  )
  expect(problems).toEqual([])
})

test('a plan is changed and applied', async () => {
  await ask('POST', `${LAMP}/plans`, {
    brief: 'A second lamp.',
    issues: [{ title: 'Bend the glass' }, { title: 'Fill the oil', depends_on: [1] }],
  })
  await keys.press('g', 'i')
  await page.waitForURL(/\/ada\/lamp\/issues$/)
  await keys.tabTo(/^summary More/)
  await keys.press('Enter')
  await keys.follow(/^a Plans/, /\/ada\/lamp\/plans$/)
  await keys.follow(/^a .*A second lamp/, /\/plans\/pln_/)
  // The second issue is left out.
  await keys.tabTo(/^input .*Fill the oil/)
  await keys.press('Space')
  await keys.pressFor(/^button Apply plan/, messageOf('applied'))
  expect((await list(`${LAMP}/issues`)).map(({ title }) => title)).toEqual([
    'Bend the glass',
    'Cut the wick',
  ])
  expect(problems).toEqual([])
})

test('a secret in a commit is resolved', async () => {
  await ask('PATCH', `${LAMP}/settings`, { push_protection: false })
  await commit('lamp.env', `TOKEN=${madeUpToken()}\n`)
  await until(async () => (await list(`${LAMP}/secret-scanning/alerts`))[0])
  await keys.press('g', 'c')
  await page.waitForURL(/\/ada\/lamp$/)
  await keys.follow(/^a Security/, /\/ada\/lamp\/security$/)
  await keys.follow(/^a Secret/, /\/security\/secrets$/)
  await keys.follow(/^a .*GitHub token/, /\/secrets\/sec_/)
  await keys.tabTo(/^select Resolution/)
  await keys.type('Used in tests')
  await keys.fill(/^(input|textarea) Note/, 'A lamp that does not exist.')
  await keys.pressFor(/^button Resolve alert/, 'button:has-text("Reopen alert")')
  expect((await list(`${LAMP}/secret-scanning/alerts?state=resolved`))[0]?.resolution).toBe(
    'used_in_tests',
  )
  expect(problems).toEqual([])
})

test('a package is linked to a repository, and a team gets a role on it', async () => {
  const put = await fetch(`${forge.url}/packages/ada/generic/glass/1.0/glass.txt`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body: 'clear',
  })
  expect(put.status).toBeLessThan(300)
  await ask('POST', '/workspaces/ada/teams', { name: 'Glaziers' })
  await keys.tabTo(/^a ada$/)
  await keys.goBy(/\/ada$/, 'Enter')
  await keys.follow(/^a Packages/, /\/-\/packages$/)
  await keys.follow(/^a glass$/, /\/generic\/glass$/)
  await keys.follow(/^a Access/, /\/glass\/access$/)
  await keys.fill(/^input Username or team/, 'team:glaziers')
  await keys.tabTo(/^select Role/)
  await keys.type('Write')
  await keys.pressFor(/^button Give access/, messageOf('Saved'))
  expect(await page.locator('main a:has-text("Glaziers")').count()).toBe(1)
  await keys.tabTo(/^a Retention/)
  await keys.follow(/^a Settings/, /\/glass\/settings$/)
  await keys.fill(/^input Description/, 'For the lamp')
  await keys.pressFor(/^button Save settings/, messageOf('Saved'))
  await keys.tabTo(/^summary Choose: Repository of this workspace/)
  await keys.press('Enter')
  await page.waitForSelector('details.picker[open] input:focus')
  await keys.press('Space', 'Escape')
  await keys.pressFor(/^button Link repository/, messageOf('linked'))
  expect(await ask('GET', '/workspaces/ada/packages/generic/glass')).toMatchObject({
    description: 'For the lamp',
    repository: { full_name: 'ada/lamp' },
  })
  expect(problems).toEqual([])
})

test('a mirror is set up and paused', async () => {
  await ask('POST', '/repos', { workspace: 'ada', name: 'shadow' })
  await keys.jumpTo('lamp', 'lamp', /\/ada\/lamp$/)
  await keys.follow(/^a Settings/, /\/settings$/)
  await keys.follow(/^a Mirrors/, /\/settings\/mirror$/)
  await keys.tabTo(/^input Pull/)
  await keys.press('ArrowDown')
  await keys.fill(/^input Address/, `${forge.url}/ada/shadow.git`)
  await keys.fill(/^input Username/, 'ada')
  await keys.fill(/^input .*(Password|Token)/i, token)
  await keys.pressFor(/^button Create mirror/, 'button:has-text("Pause")')
  await keys.pressFor(/^button Pause/, 'button:has-text("Resume")')
  expect(problems).toEqual([])
})
