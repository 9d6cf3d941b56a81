/** Proposals of a model on the page of an issue, accepted and dismissed without a script. */
import { expect, test } from 'bun:test'
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import { createIssue, getIssue } from '#features/issues/index.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { MODELS } from '../../../features/integrations/fixture.ts'
import { runForge } from '../../../features/oauth/running.ts'
import { proposes } from '../../../features/triage/fixture.ts'
import { modelServer } from '../../../models/provider.ts'

const REPO = 'acme/site'
const provider = modelServer(() =>
  proposes({
    labels: [{ name: 'bug', reason: 'It <b>fails</b>.' }],
    duplicates: [{ number: 1, reason: 'Both squeak.' }],
    question: { text: 'Which door is it?', reason: 'There are three.' },
  }),
)
const forge = await runForge({ integrations_allow: ['http://127.0.0.1'] })
const ada = await forge.user('ada')
const otto = await forge.user('otto')
await forge.workspace('acme', { owner: ada })
await forge.repo(REPO, { as: ada, private: false })
await forge.call(createIssue, ada, { repo: REPO, title: 'The door squeaks' })

test('a setting switches triage on, which needs a model', async () => {
  const browser = await forge.browser('ada')
  const press = async () =>
    await browser.press(
      (await browser.open(`/${REPO}/settings`)).html,
      `/${REPO}/settings/features`,
      {
        issue_triage: 'propose',
      },
    )
  const refused = await press()
  expect(refused.html).toContain('issue_triage needs a model for triage')
  const { id } = await forge.call(connectIntegration, ada, {
    workspace: 'acme',
    provider: 'chat_completions',
    config: { base_url: provider.url, models: MODELS },
    secret: 'sk-test',
  })
  await forge.call(setModelRoutes, ada, {
    workspace: 'acme',
    routes: [{ task: 'default', integration: id, model: 'small' }],
  })
  expect((await press()).status).toBe(303)
})

test('people with Triage decide with one press; others see nothing of it', async () => {
  const { number } = await forge.call(createIssue, otto, { repo: REPO, title: 'A door squeaks' })
  await forge.jobs()
  const here = `/${REPO}/issues/${number}`
  const browser = await forge.browser('ada')
  const { html } = await browser.open(here)
  expect(html).toContain('Proposed by a model')
  expect(html).toContain('It &lt;b&gt;fails&lt;/b&gt;.')
  expect(html).toContain('The door squeaks')
  const decide = async (decision: 'accept' | 'dismiss') => {
    const page = await browser.open(here)
    return await browser.press(page.html, `${here}/triage/decide`, { decision })
  }
  expect(await decide('accept')).toMatchObject({ status: 303, location: here })
  expect(await decide('dismiss')).toMatchObject({ status: 303, location: here })
  expect(await decide('accept')).toMatchObject({ status: 303, location: here })
  const { issue, comments } = await forge.call(getIssue, ada, { repo: REPO, number })
  expect([issue.labels, issue.state, comments.map(({ body }) => body)]).toEqual([
    ['bug'],
    'open',
    ['Which door is it?'],
  ])
  expect((await browser.open(here)).html).not.toContain('Proposed by a model')
  const stranger = await (await forge.browser('otto')).open(here)
  expect(stranger.html).not.toContain('/triage')
})

test('an issue that was opened before is read with a press', async () => {
  const here = `/${REPO}/issues/1`
  const browser = await forge.browser('ada')
  await browser.press((await browser.open(here)).html, `${here}/triage`, {})
  expect((await browser.open(here)).html).toContain('A model is reading this issue.')
  await forge.jobs()
  expect((await browser.open(here)).html).toContain('Which door is it?')
})
