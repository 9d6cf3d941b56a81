import { expect, test } from 'bun:test'
import { getAgent } from '#features/agents/get-agent.ts'
import { listAgents } from '#features/agents/list-agents.ts'
import { stopAgent } from '#features/agents/stop-agent.ts'
import { stopAllAgents } from '#features/agents/stop-all-agents.ts'
import { endToken } from '#features/accounts/index.ts'
import { appendSession } from '#features/pulls/append-session.ts'
import { createPull } from '#features/pulls/create-pull.ts'
import { getSession } from '#features/pulls/get-session.ts'
import { updatePull } from '#features/pulls/update-pull.ts'
import { archiveRepo } from '#features/repos/archive-repo.ts'
import { getRepoSettings } from '#features/repos/get-repo-settings.ts'
import { whoami } from '#features/workspaces/whoami.ts'
import type { AgentCaller } from '#core/caller.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makeAgentWorld, REPO } from './fixture.ts'

const there = (caller: AgentCaller | null): AgentCaller => {
  if (!caller) throw new Error('the agent has no caller')
  return caller
}

test('stopping takes the token at once, says who and why, and is done once', async () => {
  const { world, ada, mel, otto, start, audit, row } = await makeAgentWorld()
  const { agent, caller } = await start()
  expect(await refusal(world.call(stopAgent, otto, { repo: REPO, id: agent.id }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  const stopped = await world.call(stopAgent, mel, { repo: REPO, id: agent.id, reason: 'It loops' })
  expect(stopped).toMatchObject({
    state: 'stopped',
    stopped: {
      by: { username: 'mel' },
      at: new Date(world.clock.now()).toISOString(),
      reason: 'It loops',
    },
    token: { id: agent.token.id },
  })
  expect(caller()).toBeNull()
  expect(audit('agent.stopped')).toMatchObject([
    { actor_id: mel.id, target_id: agent.id, workspace_id: row().workspace_id, repo_id: row().id },
  ])
  expect(audit('token.revoked')).toHaveLength(1)
  expect(await world.call(stopAgent, ada, { repo: REPO, id: agent.id, reason: 'Again' })).toEqual(
    stopped,
  )
  expect(audit('agent.stopped')).toHaveLength(1)
  await world.repo('acme/other', { as: ada })
  expect(
    await refusal(world.call(stopAgent, ada, { repo: 'acme/other', id: agent.id })),
  ).toMatchObject({ status: 404 })
})

test('what it is doing is told from what it does', async () => {
  const { world, ada, start } = await makeAgentWorld()
  const { agent, secret, caller } = await start()
  const state = async () => (await world.call(getAgent, ada, { repo: REPO, id: agent.id })).state
  expect(await state()).toBe('idle')
  const me = there(caller())
  await world.call(whoami, me, {})
  world.hearth.writer.flush()
  expect(await state()).toBe('working')
  world.clock.advance(6 * MINUTE)
  expect(await state()).toBe('idle')
  const { pull } = await world.call(createPull, me, { repo: REPO, title: 'Mine' })
  const say = (
    kind: string,
    data: Record<string, unknown> | null = null,
    as: Parameters<typeof world.call>[1] = me,
  ) =>
    world.call(appendSession, as, {
      repo: REPO,
      number: pull.number,
      entries: [{ kind, text: 'x', ...(data ? { data } : {}) }],
    })
  const { last_seq } = await say('question', { to: 'ada' })
  expect(await state()).toBe('waiting')
  await say('message', null, ada)
  expect(await state()).toBe('waiting')
  await say('answer', { of: last_seq }, ada)
  expect(await state()).toBe('idle')
  await say('question', { to: 'ada' })
  await say('message')
  expect(await state()).toBe('idle')
  world.clock.advance(24 * HOUR)
  expect(await state()).toBe('finished')
  expect(world.hearth.callers.byToken(secret)).toBeNull()
  expect(await world.call(stopAgent, ada, { repo: REPO, id: agent.id })).toMatchObject({
    state: 'finished',
    stopped: null,
  })
})

test('one that reaches its cost is stopped, and the session says so', async () => {
  const { world, start, ada } = await makeAgentWorld()
  const { agent, caller } = await start({ max_usd: 1.5 })
  const me = there(caller())
  const { pull } = await world.call(createPull, me, { repo: REPO, title: 'Mine' })
  const use = (cost_usd: number) =>
    world.call(appendSession, me, {
      repo: REPO,
      number: pull.number,
      entries: [{ kind: 'usage', text: '', data: { cost_usd } }],
    })
  await use(1)
  expect(caller()).not.toBeNull()
  expect(await use(0.5)).toEqual({ appended: 1, last_seq: 2 })
  expect(caller()).toBeNull()
  expect(await world.call(getAgent, ada, { repo: REPO, id: agent.id })).toMatchObject({
    state: 'stopped',
    cost_usd: 1.5,
    stopped: { by: null, reason: 'cost_cap' },
  })
  const { items } = await world.call(getSession, ada, { repo: REPO, number: pull.number })
  expect(items.at(-1)).toMatchObject({ kind: 'error', author: null, data: { code: 'cost_cap' } })
})

test('a person’s own costs stop nobody', async () => {
  const { world, start, ada } = await makeAgentWorld()
  const { caller, agent } = await start({ max_usd: 1 })
  const { pull } = await world.call(createPull, there(caller()), { repo: REPO, title: 'Mine' })
  await world.call(appendSession, ada, {
    repo: REPO,
    number: pull.number,
    entries: [{ kind: 'usage', text: '', data: { cost_usd: 5 } }],
  })
  expect(await world.call(getAgent, ada, { repo: REPO, id: agent.id })).toMatchObject({
    state: 'working',
    cost_usd: 0,
  })
})

test('the emergency switch stops all of them, and merging by itself', async () => {
  const { world, ada, mel, otto, start, configure, ready, pull, audit } = await makeAgentWorld()
  await configure({ auto_merge: true, required_approvals: 1 })
  const number = await ready(otto)
  const before = await ready(mel)
  await world.call(updatePull, ada, { repo: REPO, number: before, auto_merge: true })
  expect(pull(number).auto_merge).toBe(1)
  const one = await start({ name: 'one' })
  const two = await start({ name: 'two' })
  const gone = await start({ name: 'gone' })
  await world.call(stopAgent, ada, { repo: REPO, id: gone.agent.id })
  expect(await refusal(world.call(stopAllAgents, mel, { repo: REPO, reason: 'x' }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  const stopped = await world.call(stopAllAgents, ada, { repo: REPO, reason: 'Something is wrong' })
  expect(stopped.map(({ name, state, stopped: why }) => [name, state, why?.reason])).toEqual([
    ['two', 'stopped', 'Something is wrong'],
    ['one', 'stopped', 'Something is wrong'],
  ])
  expect([one.caller(), two.caller()]).toEqual([null, null])
  expect((await world.call(getRepoSettings, ada, { repo: REPO })).auto_merge).toBe(false)
  expect([pull(number).auto_merge, pull(before).auto_merge]).toEqual([0, 0])
  expect(audit('agents.all_stopped')).toHaveLength(1)
  expect(audit('repo.settings_changed').at(-1)?.data).toContain('"auto_merge":true')
})

test('archiving the repository stops them; a token that is taken away stops its agent', async () => {
  const { world, ada, start, row } = await makeAgentWorld()
  const leaked = await start({ name: 'leaked' })
  await world.write((tx) => endToken(tx, leaked.agent.token.id, { reason: 'found in a push' }))
  expect(await world.call(getAgent, ada, { repo: REPO, id: leaked.agent.id })).toMatchObject({
    state: 'stopped',
    stopped: { by: null, reason: 'found in a push' },
  })
  const { agent, caller } = await start()
  await world.call(archiveRepo, ada, { repo: REPO })
  expect(caller()).toBeNull()
  expect(await world.call(getAgent, ada, { repo: REPO, id: agent.id })).toMatchObject({
    state: 'stopped',
    stopped: { reason: 'the repository was archived' },
  })
  expect(row().archived_at).not.toBeNull()
})

test('the list is for maintainers, newest first', async () => {
  const { world, ada, mel, start } = await makeAgentWorld()
  const names = ['a', 'b', 'c']
  for (const name of names) await start({ name })
  expect(await refusal(world.call(listAgents, mel, { repo: REPO }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  const { items, next } = await world.call(listAgents, ada, { repo: REPO, per_page: 2 })
  expect([items.map(({ name }) => name), next]).toEqual([['c', 'b'], '2'])
  expect(JSON.stringify(items)).not.toContain('secret')
})
