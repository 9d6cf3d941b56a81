import { describe, expect, test } from 'bun:test'
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import { getIntegrationCatalogue } from '#features/integrations/get-integration-catalogue.ts'
import { MAX_INTEGRATIONS } from '#features/integrations/schema.ts'
import { refusal } from '../../world.ts'
import { makeModelWorld, MODELS } from './fixture.ts'

describe('connecting', () => {
  test('tests the connection once and never shows or stores the secret in the open', async () => {
    const { world, provider, connect, db } = await makeModelWorld()
    const made = await connect({ name: ' House models ' })
    expect(made).toMatchObject({
      workspace: 'acme',
      kind: 'model_provider',
      provider: 'chat_completions',
      name: 'House models',
      config: { base_url: provider.url, models: MODELS },
      has_secret: true,
      enabled: true,
      status: 'connected',
      last_checked_at: '2026-03-01T12:00:00.000Z',
      last_error: null,
      created_by: { username: 'ada' },
    })
    expect(made.id).toMatch(/^itg_/)
    for (const { name } of db.all<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table'`,
    ))
      expect([name, JSON.stringify(db.all(`SELECT * FROM "${name}"`)).includes('sk-test')]).toEqual(
        [name, false],
      )
    expect(world.events().map(({ type }) => type)).not.toContain('integration.connected')
  })

  test('saves a service that refuses the secret, is not there, or may not be reached', async () => {
    const { connect, provider } = await makeModelWorld()
    expect(await connect({ secret: 'sk-wrong' })).toMatchObject({
      status: 'failing',
      last_error: 'the service refused the secret (status 401)',
    })
    const private_ = await connect({ config: { base_url: 'http://10.0.0.1/v1' } })
    expect(private_.status).toBe('failing')
    expect(private_.last_error).toContain('integrations.allow')
    provider.stop()
    const gone = await connect()
    expect(gone.status).toBe('failing')
    expect(gone.last_error).toContain('cannot be reached')
  })

  test('asks a service without a list of models for one token', async () => {
    const asked: string[] = []
    const { connect } = await makeModelWorld()
    const bare = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        const { pathname } = new URL(request.url)
        asked.push(`${request.method} ${pathname}`)
        if (request.method === 'GET') return new Response('no', { status: 404 })
        const { max_tokens } = (await request.json()) as { max_tokens: number }
        return Response.json({ max_tokens })
      },
    })
    const base_url = `http://127.0.0.1:${bare.port}`
    for (const provider of ['chat_completions', 'messages'])
      expect((await connect({ provider, config: { base_url, models: MODELS } })).status).toBe(
        'connected',
      )
    await bare.stop(true)
    expect(asked).toEqual([
      'GET /v1/models',
      'POST /v1/chat/completions',
      'GET /v1/models',
      'POST /v1/messages',
    ])
  })

  test('names the input that is wrong', async () => {
    const { world, ada, provider } = await makeModelWorld()
    const base_url = provider.url
    const wrong = async (input: Record<string, unknown>) => {
      const given = { workspace: 'acme', provider: 'chat_completions', secret: 's', ...input }
      const { code, field } = await refusal(world.call(connectIntegration, ada, given))
      return [code, field]
    }
    expect(await wrong({ provider: 'fortune_teller' })).toEqual(['invalid', 'provider'])
    expect(await wrong({ kind: 'webhook', config: { base_url } })).toEqual(['invalid', 'kind'])
    expect(await wrong({ config: {} })).toEqual(['invalid', 'config.base_url'])
    expect(await wrong({ config: { base_url: 'ftp://x' } })).toEqual(['invalid', 'config.base_url'])
    expect(await wrong({ config: { base_url: 'https://a:b@x.example' } })).toEqual([
      'invalid',
      'config.base_url',
    ])
    expect(await wrong({ config: { base_url, api_key: 'x' } })).toEqual([
      'invalid',
      'config.api_key',
    ])
    expect(await wrong({ config: { base_url, models: [{ id: 'x', price: 1 }] } })).toEqual([
      'invalid',
      'config.models[0].price',
    ])
    expect(await wrong({ config: { base_url }, secret: '' })).toEqual(['invalid', 'secret'])
    expect(provider.asked).toEqual([])
  })

  test('stops at the limit', async () => {
    const { world, ada, connect, db } = await makeModelWorld()
    const { id } = await connect()
    await world.write((tx) => {
      for (let n = 1; n < MAX_INTEGRATIONS; n++)
        tx.db.run(
          `INSERT INTO integrations SELECT ?1, workspace_id, kind, provider, name, config, secret,
           enabled, last_checked_at, last_error, created_by, created_at, updated_at, offered_models, speed
           FROM integrations WHERE id = ?2`,
          `${id}${n}`,
          id,
        )
    })
    expect(await refusal(connect())).toMatchObject({ reason: 'limit_reached' })
    expect(db.one('SELECT count(*) AS count FROM integrations')).toEqual({
      count: MAX_INTEGRATIONS,
    })
    expect((await world.call(getIntegrationCatalogue, ada, { workspace: 'acme' })).length).toBe(15)
  })
})
