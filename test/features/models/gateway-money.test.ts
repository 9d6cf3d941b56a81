/** Money under parallel calls of one agent over HTTP. */
import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { removeCallsBefore } from '#features/models/store-calls.ts'
import { timestamp } from '#lib/time.ts'
import { makeGateway, REPO } from './gateway-fixture.ts'
import { moneySums } from './money-sums.ts'

const numbers = (seed: number) => (most: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return (seed >> 8) % most
}

for (const seed of [1, 7, 42])
  test(`rows, entries, pull request and agent agree, and the cap holds (${seed})`, async () => {
    const random = numbers(seed)
    // A provider counts as it likes, but never answers longer than it was asked to.
    const { world, ada, db, agent, post, url } = await makeGateway(({ body }) => ({
      text: 'word '.repeat(1 + random(20)),
      input_tokens: 1 + random(20),
      cached_tokens: random(2),
      output_tokens: 1 + random(Number(body.max_tokens ?? body.max_completion_tokens)),
      ...(random(6) === 0 ? { breaksOff: true } : {}),
      ...(random(6) === 0 ? { withoutUsage: true } : {}),
      ...(random(12) === 0 ? { status: 503, headers: { 'retry-after': '0' } } : {}),
    }))
    await world.commit(REPO, 'main', { 'b.txt': 'b\n' })
    await world.commit(REPO, 'topic', { 'a.txt': 'a\n' })
    const made = await world.call(createPull, ada, { repo: REPO, title: 'A', branch: 'topic' })
    const { number } = made.pull
    const cap = 0.03
    const { secret } = await agent({ pull: number, max_usd: cap })
    const statuses: number[] = []
    const one = async (): Promise<void> => {
      const abort = new AbortController()
      const stream = random(2) === 0
      const isGivenUp = stream && random(4) === 0
      const content = 'x'.repeat(1 + random(200))
      const path = ['/chat/completions', '/responses', '/messages'][random(3)] ?? ''
      const body = {
        stream,
        [path === '/responses' ? 'max_output_tokens' : 'max_tokens']: 300 + random(1500),
        ...(path === '/responses' ? { input: content } : { messages: [{ role: 'user', content }] }),
      }
      try {
        const response = await post(path, secret, body, { signal: abort.signal })
        statuses.push(response.status)
        if (!isGivenUp) return void (await response.text())
        await response.body?.getReader().read()
        abort.abort()
      } catch {
        // A stream that broke off, or was given up.
      }
    }
    const isRefused = (): boolean => statuses.some((status) => status === 403 || status === 401)
    for (let wave = 0; wave < 40 && !isRefused(); wave++) {
      await Promise.all(Array.from({ length: 10 }, one))
      // A model that has failed too often is called again.
      world.clock.advance(31_000)
    }
    // Answers that were given up settle a moment later.
    const settled = (): boolean => {
      const [first, ...rest] = moneySums(db, number)
      return rest.every((sum) => sum === first)
    }
    while (!settled()) await Bun.sleep(10)
    const sums = moneySums(db, number)
    expect(new Set(sums).size).toBe(1)
    expect(statuses).toContain(200)
    expect(isRefused()).toBe(true)
    // Nothing is above the cap but what the texts of broken answers were estimated at.
    expect(sums[0]).toBeGreaterThan(0.5 * cap * 1e6)
    expect(sums[0]).toBeLessThanOrEqual(cap * 1e6 + 2_000)
    expect((await fetch(`${url}/models`, { headers: { 'x-api-key': secret } })).status).toBe(401)
  })

test('the session tells of most of the budget once, of a loop, and of the end', async () => {
  const gateway = await makeGateway(() => ({ input_tokens: 10, output_tokens: 250 }))
  const { world, ada, agent, post } = gateway
  await world.commit(REPO, 'main', { 'b.txt': 'b\n' })
  await world.commit(REPO, 'topic', { 'a.txt': 'a\n' })
  const { pull } = await world.call(createPull, ada, { repo: REPO, title: 'A', branch: 'topic' })
  const { secret } = await agent({ pull: pull.number, max_usd: 0.005 })
  const hello = { role: 'user', content: 'Hello' }
  const round = [
    { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'edit', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'c', content: 'failed' },
  ]
  const ask = async (messages: object[]) =>
    (await post('/chat/completions', secret, { messages, max_tokens: 300 })).status
  expect(await ask([hello, ...round, ...round, ...round, ...round])).toBe(403)
  const statuses = []
  for (let call = 0; call < 6; call++) statuses.push(await ask([hello]))
  // A call costs 1,010 millionths; the fifth would be too short to be of use.
  expect(statuses).toEqual([200, 200, 200, 200, 403, 401])
  const { items } = await world.call(getSession, ada, { repo: REPO, number: pull.number })
  const told = items.filter(({ kind }) => kind !== 'usage')
  expect(told.map(({ kind, data }) => [kind, data?.code ?? data?.role])).toEqual([
    ['error', 'loop'],
    ['message', 'system'],
    ['error', 'cost_cap'],
  ])
  expect(told[1]?.text).toContain('has used $0.00 of $0.01')
})

test('what an agent has spent on a task counts when its calls are long deleted', async () => {
  const { world, agent, post, route, setRoutes } = await makeGateway(() => ({
    text: 'Done.',
    input_tokens: 1_000,
    output_tokens: 250,
  }))
  // $1 and $4 a million tokens: two calls cost 0.004.
  await setRoutes(route({ max_usd: 0.004 }))
  const { secret } = await agent()
  const ask = async () => {
    const body = { max_tokens: 256, messages: [{ role: 'user', content: 'Hello' }] }
    return (await post('/chat/completions', secret, body)).status
  }
  expect([await ask(), await ask()]).toEqual([200, 200])
  // As after 90 days.
  await world.write((tx) => removeCallsBefore(tx, timestamp(tx.now_ms + 1), 100))
  expect(world.hearth.db.all('SELECT 1 FROM model_calls')).toEqual([])
  expect(await ask()).toBe(403)
})

test('the budget of an agent without a pull request holds, and so does the cap of a day', async () => {
  const { world, ada, agent, post, db } = await makeGateway(() => ({
    input_tokens: 1_000,
    output_tokens: 250,
  }))
  await world.commit(REPO, 'main', { 'b.txt': 'b\n' })
  const ask = async (secret: string) => {
    const body = { max_tokens: 256, messages: [{ role: 'user', content: 'Hello' }] }
    return (await post('/chat/completions', secret, body)).status
  }
  // A call costs 0.002.
  const one = await agent({ max_usd: 0.004 })
  expect([await ask(one.secret), await ask(one.secret)]).toEqual([200, 200])
  expect(await ask(one.secret)).toBe(401)
  expect(db.one('SELECT cost_usd, ended_reason FROM agents')).toEqual({
    cost_usd: 0.004,
    ended_reason: 'cost_cap',
  })
  await world.call(createRuleset, ada, {
    repo: REPO,
    name: 'Thrift',
    rules: [{ type: 'cost_cap', parameters: { max_usd: 0.008, per: 'day' } }],
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
  })
  // What the first has cost counts.
  const two = await agent()
  expect([await ask(two.secret), await ask(two.secret)]).toEqual([200, 200])
  expect(await ask(two.secret)).toBe(401)
  expect(db.all('SELECT sum(cost) AS cost FROM model_calls')).toEqual([{ cost: 8_000 }])
})

test('a session that takes no more entries still counts what its agent costs', async () => {
  const { world, ada, agent, post, db } = await makeGateway(() => ({
    input_tokens: 1_000,
    output_tokens: 250,
  }))
  await world.commit(REPO, 'main', { 'b.txt': 'b\n' })
  await world.commit(REPO, 'topic', { 'a.txt': 'a\n' })
  const { pull } = await world.call(createPull, ada, { repo: REPO, title: 'A', branch: 'topic' })
  await world.write((tx) => tx.db.run('UPDATE pulls SET session_entries = 100000'))
  const { secret } = await agent({ pull: pull.number, max_usd: 0.004 })
  const ask = async () => {
    const body = { max_tokens: 256, stream: true, messages: [{ role: 'user', content: 'Hello' }] }
    const response = await post('/chat/completions', secret, body)
    await response.text()
    return response.status
  }
  expect([await ask(), await ask()]).toEqual([200, 200])
  expect(await ask()).toBe(401)
  expect(db.one('SELECT session_entries, session_cost FROM pulls')).toEqual({
    session_entries: 100_000,
    session_cost: 0.004,
  })
})
