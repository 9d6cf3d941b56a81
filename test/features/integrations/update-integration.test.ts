import { expect, test } from 'bun:test'
import { updateIntegration } from '#features/integrations/update-integration.ts'
import { refusal } from '../../world.ts'
import { makeModelWorld } from './fixture.ts'

test('changes what is given, and tests again when the secret or the address changes', async () => {
  const { world, ada, connect, provider } = await makeModelWorld()
  const made = await connect({ secret: 'sk-wrong' })
  const update = (input: object) =>
    world.call(updateIntegration, ada, { workspace: 'acme', id: made.id, ...input })
  expect(await update({ name: 'House' })).toMatchObject({ name: 'House', status: 'failing' })
  expect(await update({ secret: 'sk-test' })).toMatchObject({
    name: 'House',
    status: 'connected',
    config: made.config,
  })
  expect(await update({ enabled: false })).toMatchObject({ enabled: false, status: 'disabled' })
  expect(await update({ config: { base_url: `${provider.url}/v1` } })).toMatchObject({
    config: { base_url: `${provider.url}/v1` },
    status: 'disabled',
  })
  expect(await update({ enabled: true })).toMatchObject({ status: 'connected' })
})

test('a stored secret never goes to another address', async () => {
  const { world, ada, bob, connect } = await makeModelWorld()
  const { id } = await connect()
  const thief: string[] = []
  const other = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      thief.push(request.headers.get('authorization') ?? '')
      return Response.json({})
    },
  })
  const config = { base_url: `http://127.0.0.1:${other.port}` }
  const target = { workspace: 'acme', id }
  expect(await refusal(world.call(updateIntegration, ada, { ...target, config }))).toMatchObject({
    code: 'invalid',
    field: 'secret',
  })
  expect(thief).toEqual([])
  await world.call(updateIntegration, ada, { ...target, config, secret: 'sk-other' })
  await other.stop(true)
  expect(thief).toEqual(['Bearer sk-other'])
  expect((await refusal(world.call(updateIntegration, bob, { ...target, name: 'x' }))).reason).toBe(
    'role',
  )
})

test('an integration of another workspace does not exist', async () => {
  const { world, ada, connect } = await makeModelWorld()
  const { id } = await connect()
  await world.workspace('other', { owner: ada })
  expect(
    (await refusal(world.call(updateIntegration, ada, { workspace: 'other', id, name: 'x' }))).code,
  ).toBe('not_found')
})
