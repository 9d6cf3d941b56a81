/** The page of tickets, as browsers without a script use it. */
import { expect, test } from 'bun:test'
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import { runForge } from '../../features/oauth/running.ts'
import { trackerServer } from '../../features/context/tracker-server.ts'

const PAGE = '/acme/site/tickets'

test('a ticket is found, and a way to go on where it is not', async () => {
  const { url } = trackerServer()
  const forge = await runForge({ integrations_allow: ['http://127.0.0.1'] })
  const ada = await forge.user('ada')
  await forge.workspace('acme', { owner: ada })
  await forge.repo('acme/site', { as: ada })
  const browser = await forge.browser('ada')
  expect((await browser.open(PAGE)).html).toContain('Enter a key such as ABC-12')
  const none = await browser.open(`${PAGE}?reference=ABC-12`)
  expect(none.html).toContain('No ticket was found')
  expect(none.html).toContain('No tracker is connected.')
  expect(none.html).toContain('Connect a tracker')
  expect(none.html).toContain('value="ABC-12"')
  await forge.call(connectIntegration, ada, {
    workspace: 'acme',
    provider: 'jira',
    config: { base_url: `${url}/jira` },
    secret: 'sk-tracker',
  })
  const found = await browser.open(`${PAGE}?reference=ABC-12`)
  expect(found.html).toContain('The oven is cold')
  expect(found.html).not.toContain('No tracker is connected.')
  expect(found.html).toContain(`href="${url}/jira/browse/ABC-12"`)
  const typed = await browser.open(`${PAGE}?reference=ABC-13`)
  expect(typed.html).toContain('class="written-text" dir="auto">h1. Steps *now*')
  await forge.call(connectIntegration, ada, {
    workspace: 'acme',
    provider: 'youtrack',
    config: { base_url: `${url}/youtrack` },
    secret: 'sk-tracker',
  })
  const written = await browser.open(`${PAGE}?reference=OVEN-3`)
  expect(written.html).toContain('<em>At</em> all, as in #1')
  const entity = await browser.open('/acme/-/context/entity?kind=ticket&id=OVEN-3')
  expect(entity.html).toContain('<em>At</em> all, as in #1')
  expect(entity.html).toContain('youtrack')
  expect(found.html).toContain('/acme/site/issues/new?title=The+oven+is+cold')
})
