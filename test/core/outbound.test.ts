import { expect, test } from 'bun:test'
import { outboundMessage } from '#core/outbound.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { makeWorld, withToken } from '../world.ts'

test('only who may see outbound.allow learns what a name resolves to', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const root = await world.user('root', { site_admin: true })
  const error = new OutboundError(
    'ci.example is not a public address',
    'blocked_address',
    'ci.example is at 10.0.0.5, which is not a public address',
  )
  expect(outboundMessage(error, ada)).not.toContain('10.0.0.5')
  expect(outboundMessage(error, root)).toContain('10.0.0.5')
  expect(outboundMessage(error, withToken(root, { scopes: ['site:admin'] }))).toContain('10.0.0.5')
  expect(outboundMessage(error, withToken(root, { scopes: ['repo:admin'] }))).not.toContain(
    '10.0.0.5',
  )
})
