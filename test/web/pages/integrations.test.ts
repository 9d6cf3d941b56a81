/** The pages of integrations and models, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { createSettingsToken } from '#features/accounts/index.ts'
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import { getModelRoutes } from '#features/models/get-model-routes.ts'
import { MODEL_TASKS } from '#features/models/schema.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { runForge } from '../../features/oauth/running.ts'
import { modelServer } from '../../models/provider.ts'

async function setUp() {
  const provider = modelServer()
  const forge = await runForge({ integrations_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  return {
    forge,
    ada,
    provider,
    browser: await forge.browser('ada'),
    member: await forge.browser('bob'),
  }
}
const LIST = '/acme/-/integrations'
const MODELS = `${LIST}/models`

test('a model provider is connected, tested, changed, chosen and disconnected', async () => {
  const { forge, ada, provider, browser, member } = await setUp()
  for (const path of [LIST, MODELS]) expect((await member.open(path)).status).toBe(404)
  expect((await browser.open(LIST)).html).toContain('No integrations yet')
  expect((await browser.open(MODELS)).html).toContain('Connect a model provider')

  const form = await browser.open(`${LIST}?provider=chat_completions`)
  const typed = {
    provider: 'chat_completions',
    name: 'House',
    'config.base_url': provider.url,
    'config.models': 'small, 1, 4\nlarge, 10, 40, 1, 128000, 4096',
  }
  const refused = await browser.press(form.html, LIST, {
    ...typed,
    'config.models': 'small, cheap',
    secret: 'sk-test',
  })
  expect(refused.status).toBe(422)
  expect(refused.html).toContain('Line 1: cheap is not a number.')
  expect(refused.html).toContain('value="House"')
  expect(refused.html).not.toContain('sk-test')

  const made = await browser.press(form.html, LIST, { ...typed, secret: 'sk-wrong' })
  const here = made.location ?? ''
  expect(here).toMatch(/^\/acme\/-\/integrations\/itg_/)
  expect((await member.open(here)).status).toBe(404)
  const failing = await browser.open(here)
  expect(failing.html).toContain('the service refused the secret')
  await browser.press(failing.html, here, { ...typed, secret: 'sk-test' })
  const connected = await browser.open(here)
  expect(connected.html).toContain('Connected')
  expect(connected.html).not.toContain('sk-test')
  expect(connected.html).toContain('large, 10, 40, 1, 128000, 4096')
  expect((await browser.press(connected.html, `${here}/test`, {})).location).toBe(here)
  expect((await browser.open(here)).html).toMatch(/small: first token after \d+ ms/)

  const models = await browser.open(MODELS)
  const id = here.slice(LIST.length + 1)
  await browser.press(models.html, MODELS, {
    'model.default': `${id} small`,
    'fallback.default': `${id} large`,
    'max_usd.default': '2.50',
  })
  expect(await forge.call(getModelRoutes, ada, { workspace: 'acme' })).toEqual({
    routes: [
      {
        task: 'default',
        integration: id,
        model: 'small',
        max_output_tokens: null,
        temperature: null,
        max_usd: 2.5,
        fallback: [{ integration: id, model: 'large' }],
      },
    ],
  })
  expect((await browser.open(MODELS)).html).toContain('value="2.5"')

  const gone = await browser.press(connected.html, `${here}/disconnect`, {})
  expect(gone.location).toBe(LIST)
  expect((await browser.open(here)).status).toBe(404)
  expect((await forge.call(getModelRoutes, ada, { workspace: 'acme' })).routes).toEqual([])
})

test('programs outside are let in with a budget, and what they cost is shown by each group', async () => {
  const { forge, ada, provider, browser, member } = await setUp()
  const usage = `${MODELS}/usage`
  expect((await member.open(usage)).status).toBe(404)
  expect((await browser.open(usage)).html).toContain('No calls yet')
  const { id } = await forge.call(connectIntegration, ada, {
    workspace: 'acme',
    provider: 'chat_completions',
    config: {
      base_url: provider.url,
      models: [{ id: 'small', usd_per_million_output: 4000 }, { id: 'free' }],
    },
    secret: 'sk-test',
  })
  expect((await browser.open(LIST)).html).not.toContain('chat_completions</span>')
  const route = { integration: id, model: 'small' }
  const routes = [
    { ...route, task: 'code' as const },
    { ...route, model: 'free', task: 'triage' as const },
  ]
  const offered = (await browser.open(MODELS)).html
  for (const task of MODEL_TASKS) expect(offered).toContain(`name="model.${task}"`)
  await forge.call(setModelRoutes, ada, { workspace: 'acme', routes })
  const models = await browser.open(MODELS)
  const refused = await browser.press(models.html, `${MODELS}/gateway`, {
    enabled: 'true',
    max_usd_per_day: 'much',
  })
  expect(refused.status).toBe(422)
  await browser.press(models.html, `${MODELS}/gateway`, { enabled: 'true', max_usd_per_day: '2,5' })
  const on = await browser.open(MODELS)
  expect(on.html).toContain(`value="${forge.url}/model/v1"`)
  expect(on.html).toContain('value="2.5"')

  const { secret } = await forge.call(createSettingsToken, ada, {
    name: 'x',
    scopes: ['models:use'],
  })
  const ask = (model: string) =>
    fetch(`${forge.url}/model/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    })
  expect([(await ask('code')).status, (await ask('triage')).status]).toEqual([200, 200])
  for (const [by, text] of [
    ['day', '$0.08'],
    ['agent', 'ada'],
    ['pull', 'No pull request'],
    ['task', 'triage'],
    ['model', 'Unknown'],
  ]) {
    const shown = await browser.open(`${usage}?by=${by}`)
    expect(shown.html).toContain(text ?? '')
    expect(shown.html).toContain('1 call of a model without a price')
  }
})

test('a service that only sends is added without a claim that it answered', async () => {
  const { forge, ada, browser } = await setUp()
  await forge.repo('acme/site', { as: ada })
  const tracker = await browser.open(`${LIST}?provider=sentry`)
  expect(tracker.html).toMatch(/<label[^>]*>\s*Organization\b/)
  expect(tracker.html).toContain('Its short name in addresses.')
  const form = await browser.open(`${LIST}?provider=alertmanager`)
  const added = await browser.press(form.html, LIST, { provider: 'alertmanager', name: 'Alerts' })
  const here = added.location ?? ''
  const page = await browser.open(here)
  expect(page.html).toContain('Added. Choose the repository for its issues.')
  expect(page.html).not.toContain('Test connection')
  expect(page.html).not.toContain('Tasks that use one of its models')

  // The name alone means a repository of this workspace.
  await browser.press(page.html, `${here}/incoming`, { incoming_repo: 'site' })
  const receiving = await browser.open(here)
  expect(receiving.html).toContain('value="acme/site"')
  expect(receiving.html).toContain('/-/in/itg_')

  const address = /value="(\S+\/-\/in\/itg_[^"]+)"/.exec(receiving.html)?.[1] ?? ''
  const alert = {
    status: 'firing',
    labels: { alertname: 'HighLoad' },
    annotations: {},
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus/graph',
    fingerprint: 'abc123',
  }
  const body = JSON.stringify({ version: '4', groupKey: 'a', status: 'firing', alerts: [alert] })
  expect((await fetch(address, { method: 'POST', body })).status).toBe(202)
  const issues = (await browser.open('/acme/site/issues')).html
  expect(issues).toContain('HighLoad')
  expect(issues).toContain('>integration</span>')
  expect(issues).not.toContain('>agent</span>')
})
