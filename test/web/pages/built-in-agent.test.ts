/** The built-in agent on the pages of issues, sessions and agents, without a script. */
import { expect, test } from 'bun:test'
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import { createAgent } from '#features/agents/index.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { createPull } from '#features/pulls/index.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { runForge } from '../../features/oauth/running.ts'
import { use } from '../../features/agent-runs/fixture.ts'
import { modelServer } from '../../models/provider.ts'

test('an issue is given to the agent, which asks, is answered and stopped', async () => {
  const steps = [use('ask', { question: 'Which colour?' }), { status: 400 }]
  const provider = modelServer((_, number) => steps[number] ?? {})
  const forge = await runForge({ integrations_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo('acme/site', { as: ada })
  await forge.commit('acme/site', 'main', { 'a.txt': 'a' })
  const { number } = await forge.call(createIssue, ada, { repo: 'acme/site', title: 'Paint it' })
  const issue = `/acme/site/issues/${number}`
  const browser = await forge.browser('ada')
  const member = await forge.browser('bob')
  const visitor = await forge.browser(null)
  expect((await browser.open(issue)).html).toContain('href="/acme/-/integrations/models"')
  expect((await member.open(issue)).html).toContain('Ask an owner of acme')
  expect((await visitor.open(issue)).html).not.toContain('built-in agent')

  const { id } = await forge.call(connectIntegration, ada, {
    workspace: 'acme',
    provider: 'chat_completions',
    config: { base_url: provider.url },
    secret: 'sk-test',
  })
  await forge.call(setModelRoutes, ada, {
    workspace: 'acme',
    routes: [{ task: 'default', integration: id, model: 'small' }],
  })
  const page = await browser.open(issue)
  const refused = await browser.press(page.html, `${issue}/assign`, { max_usd: 'much' })
  expect(refused.status).toBe(422)
  const begun = await browser.press(page.html, `${issue}/assign`, {
    instructions: 'Be bold.',
    max_usd: '1,5',
  })
  const session = `/acme/site/pull/${number + 1}/session`
  expect(begun.location).toBe(session)
  const again = await browser.press(page.html, `${issue}/assign`, {})
  expect([again.status, again.html.includes('works on')]).toEqual([422, true])
  await forge.jobs()

  const asked = await browser.open(session)
  for (const text of ['Which colour?', 'It asked a question.', 'Be bold.', 'Waits for an answer'])
    expect([text, asked.html.includes(text)]).toEqual([text, true])
  expect((await visitor.open(session)).html).not.toContain('/session/stop')
  // The conversation says so too, to those who may answer.
  const pull = `/acme/site/pull/${number + 1}`
  const conversation = await browser.open(pull)
  for (const text of ['Waits for an answer', 'Which colour?', 'Show the session'])
    expect([text, conversation.html.includes(text)]).toEqual([text, true])
  expect((await visitor.open(pull)).html).not.toContain('Waits for an answer')
  const empty = await browser.press(conversation.html, `${session}/agent`, { text: '' })
  expect([empty.status, empty.html.includes('Your answer')]).toEqual([422, true])
  await browser.press(conversation.html, `${session}/agent`, { text: 'Red.' })
  await forge.jobs()
  const waits = await browser.open(pull)
  for (const text of ['Needs attention', 'answered with status 400', 'Resume agent'])
    expect([text, waits.html.includes(text)]).toEqual([text, true])
  const failed = await browser.open(session)
  // It says what the provider says, and who can mend it; nobody was asked anything.
  expect(failed.html).toContain('answered with status 400: status 400 (an owner can test')
  expect(failed.html).toContain('Needs attention')
  expect(failed.html).not.toContain('Waits for an answer')
  const list = await browser.open('/acme/site/agents')
  expect(list.html).toContain('status 400')
  expect(list.html).toContain('$1.50')

  await browser.press(failed.html, `${session}/stop`, {})
  const stopped = await browser.open(session)
  expect(stopped.html).toContain('Stopped')
  expect(stopped.html).not.toContain(`${session}/stop`)
  expect((await browser.open(pull)).html).not.toContain('Resume agent')
  const lists = [
    provider.asked.length,
    (await browser.open('/acme/site/agents')).html.includes('Stopped'),
  ]
  expect(lists).toEqual([2, true])
})

test('the conversation says that an agent from outside waits for an answer', async () => {
  const forge = await runForge()
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  await forge.commit('acme/site', 'main', { 'a.txt': 'a' })
  const { pull } = await forge.call(createPull, ada, { repo: 'acme/site', title: 'Paint it' })
  const { number } = pull
  const { token } = await forge.call(createAgent, ada, {
    repo: 'acme/site',
    name: 'brush',
    pull: number,
  })
  const browser = await forge.browser('ada')
  const here = `/acme/site/pull/${number}`
  expect((await browser.open(here)).html).not.toContain('Waits for an answer')
  const asked = await forge.post(
    `/api/v1/repos/acme/site/pulls/${number}/session`,
    { entries: [{ kind: 'question', text: 'Which colour?' }] },
    { authorization: `Bearer ${token.secret}` },
  )
  expect(asked.status).toBe(200)
  const { html } = await browser.open(here)
  for (const text of ['Which colour?', 'Answer in the session', `href="${here}/session"`])
    expect([text, html.includes(text)]).toEqual([text, true])
})
