/** The summary on the page of a pull request, as browsers without a script use it. */
import { expect, test } from 'bun:test'
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { runForge } from '../../features/oauth/running.ts'
import { modelServer } from '../../models/provider.ts'

test('a summary is asked for by one press, and marked as written by a model', async () => {
  const provider = modelServer(() => ({
    text: 'So [[entry:1]], not [[entry:9]]. ![x](https://evil.example/x.png) <script>1</script>',
  }))
  const forge = await runForge({ integrations_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada, members: [await forge.user('bob')] })
  await forge.user('eve')
  await forge.repo('acme/site', { as: ada })
  await forge.commit('acme/site', 'main', { 'a.ts': 'a\n' }, { as: ada })
  await forge.commit('acme/site', 'topic', { 'b.ts': 'b\n' }, { as: ada })
  const { pull } = await forge.call(createPull, ada, {
    repo: 'acme/site',
    title: 'Add b',
    branch: 'topic',
  })
  const page = `/acme/site/pull/${pull.number}`
  const browser = await forge.browser('ada')
  expect((await browser.open(page)).html).not.toContain('<summary>Summary</summary>')
  await forge.call(appendSession, ada, {
    repo: 'acme/site',
    number: pull.number,
    entries: [{ kind: 'message', text: 'I add b.' }],
  })
  expect((await browser.open(page)).html).toContain('/acme/-/integrations/models')
  expect((await (await forge.browser('bob')).open(page)).html).toContain('Ask an owner')
  expect((await (await forge.browser('eve')).open(page)).html).not.toContain(
    '<summary>Summary</summary>',
  )

  const { id } = await forge.call(connectIntegration, ada, {
    workspace: 'acme',
    provider: 'chat_completions',
    config: { base_url: provider.url },
    secret: 'sk-test',
  })
  await forge.call(setModelRoutes, ada, {
    workspace: 'acme',
    routes: [{ task: 'summarize', integration: id, model: 'small' }],
  })
  const { html } = await browser.open(page)
  await browser.press(html, `${page}/summary`, {})
  await forge.hearth.jobs.idle()
  const done = await browser.open(page)
  expect(done.html).toContain('Written by a model')
  expect(done.html).toMatch(new RegExp(`href="[^"]*${page}/session\\?after=0#entry-1"`))
  expect(done.html).toContain('1 citation was struck')
  expect(done.html).not.toContain('<img src="https://evil.example')
  expect(done.html).not.toContain('<script>1')
  const [, byline = ''] =
    /<p class="muted small">(Written by a model.*?)<\/p>/s.exec(done.html) ?? []
  const [, lead = ''] =
    /<p class="lead">(.*?)<\/p>/s.exec((await browser.open(`${page}/text/summary`)).html) ?? []
  // A model has no account, so no author is named; the rest is as on the page of the pull request.
  expect([lead, lead.includes('<time'), lead.includes('href=')]).toEqual([byline, true, false])
  const bob = await forge.browser('bob')
  expect((await bob.open(page)).html).not.toContain('Written by a model')
  expect((await bob.open(`${page}/text/summary`)).status).toBe(404)
})
