import { expect, test } from 'bun:test'
import { getIntegrationCatalogue } from '#features/integrations/get-integration-catalogue.ts'
import { makeModelWorld } from './fixture.ts'

test('each provider says what it needs, in JSON Schema', async () => {
  const { world, bob } = await makeModelWorld()
  const catalogue = await world.call(getIntegrationCatalogue, bob, { workspace: 'acme' })
  expect(catalogue.map(({ provider, kinds }) => [provider, ...kinds])).toEqual([
    ['chat_completions', 'model_provider'],
    ['messages', 'model_provider'],
    ['generate_content', 'model_provider'],
    ['local', 'model_provider'],
    ['jira', 'ticket_tracker'],
    ['linear', 'ticket_tracker'],
    ['github', 'ticket_tracker'],
    ['gitea', 'ticket_tracker'],
    ['gitlab', 'ticket_tracker'],
    ['youtrack', 'ticket_tracker'],
    ['sentry', 'error_tracker'],
    ['glitchtip', 'error_tracker'],
    ['alertmanager', 'monitoring'],
    ['grafana', 'monitoring'],
    ['webhook', 'webhook'],
  ])
  expect(catalogue[0]).toMatchObject({
    config_schema: {
      type: 'object',
      required: ['base_url'],
      additionalProperties: false,
      properties: { base_url: { type: 'string', format: 'uri' } },
    },
    secret: { title: 'API key', required: true },
  })
  expect(catalogue[3]?.secret?.required).toBe(false)
})
