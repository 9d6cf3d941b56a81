/** The pages of questions, as browsers without a script use them. */
import { expect, test } from 'bun:test'
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { runForge } from '../../features/oauth/running.ts'
import { modelServer } from '../../models/provider.ts'

const PAGE = '/acme/site/ask'

test('a question is asked, answered with checked sources, and deleted', async () => {
  const provider = modelServer(() => ({
    text: 'Here [[src/a.ts:1]], not [[src/b.ts:1]]. ![x](https://evil.example/x.png) <script>1</script>',
  }))
  const forge = await runForge({ integrations_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada, members: [await forge.user('bob')] })
  await forge.repo('acme/site', { as: ada })
  await forge.commit('acme/site', 'main', { 'src/a.ts': 'a\n' }, { as: ada })
  const browser = await forge.browser('ada')
  const without = await browser.open(PAGE)
  expect(without.html).toContain('No model answers questions yet')
  expect(without.html).toContain('/acme/-/integrations/models')
  expect((await (await forge.browser('bob')).open(PAGE)).html).toContain('Ask an owner')

  const { id } = await forge.call(connectIntegration, ada, {
    workspace: 'acme',
    provider: 'chat_completions',
    config: { base_url: provider.url },
    secret: 'sk-test',
  })
  await forge.call(setModelRoutes, ada, {
    workspace: 'acme',
    routes: [{ task: 'assistant', integration: id, model: 'small' }],
  })
  const { html } = await browser.open(PAGE)
  expect(html).toContain('No questions yet')
  const refused = await browser.press(html, PAGE, { question: ' ' })
  expect(refused.status).toBe(422)
  await browser.press(html, PAGE, { question: 'Where is <a>?' })
  await forge.hearth.jobs.idle()
  const listed = await browser.open(PAGE)
  const [path = ''] = /\/acme\/site\/ask\/ask_[0-9a-z]+/.exec(listed.html) ?? []
  const answered = await browser.open(path)
  expect(answered.html).toContain('Where is &lt;a&gt;?')
  expect(answered.html).toMatch(/href="[^"]*\/blob\/[0-9a-f]{40}\/src\/a\.ts\?from=1#L1"/)
  expect(answered.html).toContain('1 citation was struck')
  expect(answered.html).not.toContain('src/b.ts')
  expect(answered.html).not.toContain('<img src="https://evil.example')
  expect(answered.html).not.toContain('<script>1')
  await browser.press(answered.html, `${path}/delete`, {})
  expect((await browser.open(path)).status).toBe(404)
})
