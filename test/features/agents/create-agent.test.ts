import { expect, test } from 'bun:test'
import { createAgent } from '#features/agents/create-agent.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { whoami } from '#features/workspaces/whoami.ts'
import { HOUR } from '#lib/time.ts'
import { refusal, withToken } from '../../world.ts'
import { makeAgentWorld, REPO } from './fixture.ts'

test('an agent acts for the user who started it, in one repository, for a day', async () => {
  const { world, ada, start, audit, row } = await makeAgentWorld()
  const { agent, secret, caller } = await start()
  expect(secret).toMatch(/^htha_[0-9A-Za-z]{46}$/)
  expect(agent).toMatchObject({
    name: 'bot',
    repo: REPO,
    pull: null,
    owner: { id: ada.id, username: 'ada' },
    role: 'write',
    state: 'idle',
    model: null,
    max_usd: null,
    cost_usd: 0,
    last_seen_at: null,
    stopped: null,
    scopes: [
      'repo:read',
      'code:write',
      'issues:write',
      'pulls:write',
      'workflows:read',
      'memory:write',
    ],
    token: { last_four: secret.slice(-4) },
  })
  expect(Date.parse(agent.expires_at) - Date.parse(agent.started_at)).toBe(24 * HOUR)
  const found = caller()
  expect(found).toMatchObject({
    kind: 'agent',
    id: agent.id,
    username: 'ada/bot',
    owner_id: ada.id,
    repo_id: row().id,
    token: { role: 'write' },
  })
  if (!found) throw new Error('the agent has no caller')
  expect(await world.call(whoami, found, {})).toMatchObject({
    kind: 'agent',
    id: agent.id,
    username: 'ada/bot',
    agent: {
      id: agent.id,
      name: 'bot',
      repo: REPO,
      pull: null,
      on_behalf_of: { id: ada.id, username: 'ada' },
    },
    workspaces: [{ slug: 'acme', role: 'member' }],
  })
  expect(audit('agent.created')).toMatchObject([
    { actor_id: ada.id, target_id: agent.id, workspace_id: row().workspace_id, repo_id: row().id },
  ])
  expect(audit('token.created')).toMatchObject([{ workspace_id: row().workspace_id }])
  expect(JSON.stringify(audit())).not.toContain(secret)
  world.clock.advance(24 * HOUR)
  expect(caller()).toBeNull()
})

test('only people with maintain start one, and never beyond what they may hand on', async () => {
  const { world, ada, mel, otto, start, agent: agentOf, audit } = await makeAgentWorld()
  const bad = (input: Record<string, unknown>, as = ada) =>
    refusal(world.call(createAgent, as, { repo: REPO, name: 'bot', ...input } as never))
  expect(await bad({}, mel)).toMatchObject({ status: 403, reason: 'role' })
  expect(await bad({}, otto)).toMatchObject({ status: 403, reason: 'role' })
  expect(
    await refusal(world.call(createAgent, await agentOf(ada), { repo: REPO, name: 'bot' })),
  ).toMatchObject({ status: 403, reason: 'person_required' })
  for (const scope of ['access:read', 'user:write', 'site:admin'])
    expect(await bad({ scopes: ['code:read', scope] })).toMatchObject({
      status: 422,
      field: 'scopes[1]',
    })
  expect(await bad({ scopes: ['code:fly'] })).toMatchObject({ status: 422, field: 'scopes[0]' })
  expect(await bad({ role: 'maintain' })).toMatchObject({ status: 422, field: 'role' })
  for (const expires_in_hours of [0, 2161])
    expect(await bad({ expires_in_hours })).toMatchObject({
      status: 422,
      field: 'expires_in_hours',
    })
  for (const name of ['Bot', 'a b', 'a/b', '-', 'x'.repeat(40)])
    expect(await bad({ name })).toMatchObject({ status: 422, field: 'name' })
  expect(await bad({ max_usd: 0 })).toMatchObject({ status: 422, field: 'max_usd' })
  const narrow = withToken(ada, {
    scopes: ['access:admin', 'code:read'],
    expires_at: new Date(world.clock.now() + HOUR).toISOString(),
  })
  expect(await refusal(start({}, narrow))).toMatchObject({ status: 403, reason: 'scope' })
  expect(audit('agent.created')).toEqual([])
  const { agent } = await start({ scopes: ['code:read'] }, narrow)
  expect(agent.expires_at).toBe(narrow.token?.expires_at ?? '')
})

test('two of one name do not run side by side; after its end the name is free', async () => {
  const { world, start } = await makeAgentWorld()
  const { agent } = await start()
  expect(await refusal(start())).toMatchObject({
    status: 409,
    reason: 'already_exists',
    details: { id: agent.id },
  })
  await start({ name: 'other' })
  world.clock.advance(25 * HOUR)
  await start()
})

test('an agent of a pull request ends with it', async () => {
  const { world, ada, otto, ready, start, audit, count } = await makeAgentWorld()
  const number = await ready(otto)
  expect(await refusal(start({ pull: 99 }))).toMatchObject({ status: 404 })
  const { agent, caller } = await start({ pull: number })
  const free = await start({ name: 'free' })
  const found = caller()
  if (!found) throw new Error('the agent has no caller')
  expect(await world.call(whoami, found, {})).toMatchObject({ agent: { pull: number } })
  const tokens = count('tokens')
  await world.call(closePull, ada, { repo: REPO, number })
  expect(caller()).toBeNull()
  expect(free.caller()).not.toBeNull()
  expect(count('tokens')).toBe(tokens - 1)
  expect(audit('agent.finished')).toMatchObject([{ target_id: agent.id }])
  expect(await refusal(start({ pull: number, name: 'late' }))).toMatchObject({
    status: 409,
    reason: 'not_open',
  })
})

test('an agent can be assigned by its name while it runs', async () => {
  const { world, ada, start } = await makeAgentWorld()
  const { agent } = await start()
  const { number } = await world.call(createIssue, ada, { repo: REPO, title: 'Broken' })
  const issue = await world.call(updateIssue, ada, { repo: REPO, number, assignees: ['ada/bot'] })
  expect(issue.assignees).toMatchObject([{ id: agent.id, kind: 'agent', username: 'ada/bot' }])
  world.clock.advance(25 * HOUR)
  expect(
    await refusal(
      world.call(createIssue, ada, { repo: REPO, title: 'Again', assignees: ['ada/bot'] }),
    ),
  ).toMatchObject({ status: 422, field: 'assignees' })
})

test('a repeated request does not show the secret again', async () => {
  const { world, ada } = await makeAgentWorld()
  const idempotency = { caller_id: ada.id, key: 'once', operation: 'create_agent', body_hash: 'x' }
  const first = await world.call(createAgent, ada, { repo: REPO, name: 'bot' }, { idempotency })
  const again = await world.call(createAgent, ada, { repo: REPO, name: 'bot' }, { idempotency })
  expect(again).toEqual({ ...first, token: { ...first.token, secret: null } })
  expect(JSON.stringify(world.hearth.db.all('SELECT answer FROM idempotency_keys'))).not.toContain(
    first.token.secret ?? 'none',
  )
})
