/** Calls of models: fallbacks, limits and money. */
import { describe, expect, test } from 'bun:test'
import { callModel, ModelFailed } from '#features/models/call-model.ts'
import { reserve, type Cap } from '#features/models/ledger.ts'
import { costOf } from '#features/models/money.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { updateIntegration } from '#features/integrations/update-integration.ts'
import { Refusal } from '#lib/errors.ts'
import { modelServer, type Script } from '../../models/provider.ts'
import { makeModelWorld } from '../integrations/fixture.ts'

async function setUp(script?: Script) {
  const base = await makeModelWorld(script)
  const { world, ada, connect, db } = base
  const first = await connect({ name: 'first' })
  const route = (more: object = {}) =>
    world.call(setModelRoutes, ada, {
      workspace: 'acme',
      routes: [{ task: 'code', integration: first.id, model: 'small', ...more }],
    })
  await route()
  const workspace_id =
    db.one<{ id: string }>('SELECT workspace_id AS id FROM integrations')?.id ?? ''
  const payer = { workspace_id, task: 'code', actor_id: ada.id, pull_id: null } as const
  const ask = (request: object = {}, signal?: AbortSignal) =>
    callModel(
      world.hearth,
      payer,
      { messages: [{ role: 'user', content: 'Hello' }], ...request },
      signal,
    )
  const calls = () =>
    db.all<{ model: string; cost: number; estimated: 0 | 1; output_tokens: number }>(
      'SELECT model, cost, estimated, output_tokens FROM model_calls ORDER BY id',
    )
  return { ...base, first, route, ask, calls }
}

describe('providers', () => {
  test('a failure is tried again, and then the fallback', async () => {
    const { connect, first, route, ask, calls, provider } = await setUp((_, number) =>
      number < 2 ? { status: 503, headers: { 'retry-after': '0' } } : { text: 'Fine.' },
    )
    const other = modelServer(() => ({ text: 'Other.' }))
    const second = await connect({ name: 'second', config: { base_url: other.url } })
    await route({ fallback: [{ integration: second.id, model: 'spare' }] })
    expect((await ask()).text).toBe('Other.')
    expect([provider.asked.length, other.asked[0]?.body.model]).toEqual([2, 'spare'])
    expect((await ask()).text).toBe('Fine.')
    expect(calls().map(({ model }) => model)).toEqual(['spare', 'small'])
    expect(first.id).toMatch(/^itg_/)
  })

  test('a model that rests after failures is waited for', async () => {
    const { ask, world, provider } = await setUp((_, number) =>
      number < 4 ? { status: 503, headers: { 'retry-after': '0' } } : { text: 'Fine.' },
    )
    for (let calls = 0; calls < 2; calls++) expect(ask()).rejects.toThrow(ModelFailed)
    while (provider.asked.length < 4) await Bun.sleep(5)
    world.clock.advance(29_950)
    const answer = ask()
    world.clock.advance(50)
    expect((await answer).text).toBe('Fine.')
  })

  test('the key is in no answer, and a word in its place changes none', async () => {
    const { ask, connect, route } = await setUp()
    const answerWith = async (secret: string) => {
      const { url } = modelServer(({ headers }) => {
        const said = `You sent ${headers.get('authorization')}.`
        return { text: said, calls: [{ name: 'write', input: { content: said } }] }
      }, secret)
      const { id } = await connect({ name: secret, config: { base_url: url }, secret })
      await route({ integration: id })
      const { text, calls } = await ask()
      return [text, JSON.parse(calls[0]?.function.arguments ?? '{}').content]
    }
    const told = 'You sent Bearer [secret].'
    expect(await answerWith('house-key-1234567890')).toEqual([told, told])
    for (const word of ['sent', 'ollama', 'not-required'])
      expect(await answerWith(word)).toEqual([
        `You sent Bearer ${word}.`,
        `You sent Bearer ${word}.`,
      ])
  })

  test('an answer is no longer than what the context of the model has left', async () => {
    const { world, ada, ask, first, provider } = await setUp()
    const setModel = (model: object) =>
      world.call(updateIntegration, ada, {
        workspace: 'acme',
        id: first.id,
        config: { ...first.config, models: [{ id: 'small', ...model }] },
      })
    const wanted = async (request: object = {}): Promise<unknown> => {
      await ask(request)
      return provider.asked.at(-1)?.body.max_tokens
    }
    expect(await wanted({ max_tokens: 32_000 })).toBe(4096)
    await setModel({})
    expect([await wanted(), await wanted({ max_tokens: 32_000 })]).toEqual([8_192, 32_000])
    await setModel({ context_tokens: 8_000 })
    expect(await wanted()).toBe(2_000)
    const long = [{ role: 'user', content: 'word '.repeat(3_500) }]
    const left = Number(await wanted({ max_tokens: 32_000, messages: long }))
    // 17,500 bytes are estimated as 5,000 tokens.
    expect(left).toBeGreaterThan(2_900)
    expect(left).toBeLessThan(3_000)
    // What is too long is cut, so that a whole answer fits beside it.
    const longer = [{ role: 'user', content: `First ${'word '.repeat(10_000)}last` }]
    expect(await wanted({ messages: longer })).toBe(2_000)
    const sent = JSON.stringify(provider.asked.at(-1)?.body.messages)
    expect(sent).toMatch(/First word .*\d+ characters are left out.* word last/)
    expect(sent.length / 3.5).toBeLessThan(6_000)
  })

  test('what no model can hold goes to a larger one, or is refused before it costs anything', async () => {
    const { world, ada, ask, connect, route, first, provider, calls } = await setUp()
    const model = { id: 'small', context_tokens: 2_000 }
    await world.call(updateIntegration, ada, {
      workspace: 'acme',
      id: first.id,
      config: { ...first.config, models: [model] },
    })
    const system = (bytes: number) => [
      { role: 'system', content: 'word '.repeat(bytes / 5) },
      { role: 'user', content: 'Hello' },
    ]
    // About 1,900 tokens by the estimate, which may be too high: the shortest useful answer is asked.
    await ask({ messages: system(6_500) })
    expect(provider.asked.at(-1)?.body.max_tokens).toBe(256)
    await ask({ messages: system(6_500), max_tokens: 20 })
    expect(provider.asked.at(-1)?.body.max_tokens).toBe(20)
    const before = [provider.asked.length, calls().length]
    const refused = await ask({ messages: system(10_000) }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Refusal)
    expect(refused).toMatchObject({
      status: 400,
      reason: 'context_length_exceeded',
      message: expect.stringMatching(
        /^prompt is too long: the maximum context length of the models for code is 2000 tokens, and the input alone is about 28\d\d; /,
      ),
    })
    expect([provider.asked.length, calls().length]).toEqual(before)
    // A failure of the small model was not counted: it goes on with what it can read.
    await ask({ messages: system(500) })
    const other = modelServer(() => ({ text: 'Large.' }))
    const second = await connect({ name: 'large', config: { base_url: other.url } })
    await route({ fallback: [{ integration: second.id, model: 'large' }] })
    expect((await ask({ messages: system(10_000) })).text).toBe('Large.')
  })

  test('a refusal by the provider, a broken answer and one switched off are told', async () => {
    const { world, ada, ask, calls, first } = await setUp((_, number) =>
      number === 0 ? { status: 400 } : { text: 'Half of it is here', breaksOff: true },
    )
    expect(ask()).rejects.toThrow('status 400')
    await ask().catch(() => {})
    const failed = await ask().catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ModelFailed)
    // What came before the break is paid for, counted from its text.
    expect(calls().every(({ estimated }) => estimated === 1)).toBe(true)
    await world.call(updateIntegration, ada, { workspace: 'acme', id: first.id, enabled: false })
    const off = await ask().catch((error: unknown) => error)
    expect(off).toMatchObject({ reason: 'model_not_configured' })
  })

  test('an answer without usage is estimated, and a given-up one is settled', async () => {
    const pause = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const { ask, calls } = await setUp((_, number) => {
      if (number === 0) return { text: 'x'.repeat(700), withoutUsage: true }
      asked.resolve()
      return { text: 'one two three four five six', pause: pause.promise }
    })
    await ask()
    expect(calls()).toMatchObject([{ estimated: 1, output_tokens: 200 }])
    const controller = new AbortController()
    const given = ask({}, controller.signal).catch((error: unknown) => error)
    await asked.promise
    controller.abort()
    expect(await given).toBeInstanceOf(Error)
    pause.resolve()
  })
})

describe('money', () => {
  test('cached input has its own price, and the sum is never a fraction', () => {
    const prices = {
      usd_per_million_input: 3,
      usd_per_million_cached_input: 0.3,
      usd_per_million_output: 15,
    }
    expect(costOf(prices, { input: 1000, cached: 900, output: 10 })).toBe(300 + 270 + 150)
    expect(costOf({}, { input: 1000, cached: 0, output: 10 })).toBe(0)
    expect(costOf({ usd_per_million_input: 0.1 }, { input: 1, cached: 0, output: 0 })).toBe(1)
  })

  test('parallel calls never pass a cap together, whatever they cost', async () => {
    const { world } = await makeModelWorld()
    let seed = 7
    const random = (most: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % most
    }
    for (let round = 0; round < 200; round++) {
      const prices = {
        usd_per_million_input: random(20),
        usd_per_million_output: random(80),
      }
      const limit = 1 + random(500_000)
      let spent = 0
      const open: { cost: number; release: () => void }[] = []
      for (let call = 0; call < 40; call++) {
        if (random(3) === 0) {
          const done = open.splice(random(Math.max(1, open.length)), 1)[0]
          if (done) {
            spent += done.cost
            done.release()
          }
          continue
        }
        const cap: Cap = { key: `round ${round}`, limit, spent, what: 'the cap' }
        const input = 1 + random(5_000)
        try {
          const held = reserve(world.hearth, [cap], { prices, input, wanted: 1 + random(8_000) })
          // The provider counts the input as estimated or lower, and never answers longer.
          const usage = { input: random(input + 1), cached: 0, output: random(held.max_output + 1) }
          open.push({ cost: costOf(prices, usage), release: held.release })
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          expect(['cost_cap', 'concurrency']).toContain(error.reason ?? '')
        }
      }
      const total = open.reduce((sum, { cost }) => sum + cost, spent)
      expect(total).toBeLessThanOrEqual(limit)
      for (const { release } of open) {
        release()
        release()
      }
    }
  })
})
