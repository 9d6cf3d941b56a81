import { expect, test } from 'bun:test'
import { checksum62 } from '#lib/hash.ts'
import { DAY, MINUTE, timestamp } from '#lib/time.ts'
import { issueToken, recordActor, type NewTokenOptions } from '#features/accounts/index.ts'
import { makeWorld } from '../../../world.ts'

const world = await makeWorld()
const START = world.clock.at
const ada = await world.user('ada')
const acme = await world.workspace('acme', { owner: ada })
const issue = (change: Partial<NewTokenOptions>) =>
  world.write((tx) =>
    issueToken(tx, {
      actor_id: ada.id,
      kind: 'user',
      name: 't',
      source: 'settings',
      scopes: null,
      repos: null,
      workspace_id: null,
      role: null,
      expires_at: null,
      ...change,
    }),
  )
const byToken = (secret: string) => world.hearth.callers.byToken(secret)

test('a text with an invalid format or checksum has no caller', async () => {
  const { secret } = await issue({})
  expect(byToken(secret)).not.toBeNull()
  const flipped = secret.slice(0, 45) + (secret[45] === '0' ? '1' : '0') + secret.slice(46)
  const other = `hthu_${'a'.repeat(40)}`
  for (const wrong of [
    '',
    'x',
    secret.slice(0, -1),
    `${secret}0`,
    flipped,
    secret.replace('hthu_', 'htha_'),
    ` ${secret}`,
    other + checksum62(other),
  ]) {
    expect(byToken(wrong)).toBeNull()
  }
})

test('a token stops working when it expires', async () => {
  const { secret } = await issue({ expires_at: timestamp(world.clock.at + DAY) })
  world.clock.advance(DAY - 1)
  expect(byToken(secret)).not.toBeNull()
  world.clock.advance(1)
  expect(byToken(secret)).toBeNull()
})

test('the last use is noted at most once a minute, and not by the look-up itself', async () => {
  const { secret, token } = await issue({})
  const used = () =>
    world.hearth.db.one<{ last_used_at: string | null }>(
      'SELECT last_used_at FROM tokens WHERE id = ?',
      token.id,
    )?.last_used_at
  byToken(secret)
  byToken(secret)
  expect(used()).toBeNull()
  world.hearth.writer.flush()
  const first = used()
  expect(first).toBe(timestamp(world.clock.at))
  world.clock.advance(MINUTE - 1)
  byToken(secret)
  world.hearth.writer.flush()
  expect(used()).toBe(first ?? '')
  // The writer runs in order, so a write after it completes later.
  await world.write(() => null)
  world.clock.advance(1)
  byToken(secret)
  world.hearth.writer.flush()
  expect(used()).toBe(timestamp(world.clock.at))
})

test("a device's token lives a year from its last use", async () => {
  const { secret, token } = await issue({
    source: 'device',
    expires_at: timestamp(world.clock.at + 365 * DAY),
  })
  world.clock.advance(300 * DAY)
  byToken(secret)
  world.hearth.writer.flush()
  expect(
    world.hearth.db.one<{ expires_at: string }>(
      'SELECT expires_at FROM tokens WHERE id = ?',
      token.id,
    )?.expires_at,
  ).toBe(timestamp(world.clock.at + 365 * DAY))
  world.clock.advance(300 * DAY)
  expect(byToken(secret)).not.toBeNull()
})

test('workspaces and agents are callers of their own kinds', async () => {
  const workspace = await issue({
    actor_id: acme.id,
    kind: 'workspace',
    workspace_id: acme.id,
    role: 'write',
    scopes: ['repo:read'],
  })
  expect(workspace.secret).toStartWith('hthw_')
  expect(byToken(workspace.secret)).toMatchObject({
    kind: 'workspace',
    id: acme.id,
    username: 'acme',
    token: { role: 'write', workspace: acme.id },
  })

  await world.write((tx) =>
    recordActor(tx, {
      id: 'agt_1',
      kind: 'agent',
      username: 'ada/bot',
      name: 'bot',
      on_behalf_of: ada.id,
    }),
  )
  const repo = { id: 'rep_1', workspace_id: acme.id, name: 'site' }
  const agent = await issue({
    actor_id: 'agt_1',
    kind: 'agent',
    source: 'agent',
    repos: [repo],
    role: 'write',
  })
  expect(agent.secret).toStartWith('htha_')
  expect(byToken(agent.secret)).toEqual({
    kind: 'agent',
    id: 'agt_1',
    username: 'ada/bot',
    repo_id: 'rep_1',
    owner_id: ada.id,
    owner_username: 'ada',
    token: {
      id: agent.token.id,
      name: 't',
      kind: 'agent',
      scopes: null,
      repos: ['rep_1'],
      workspace: acme.id,
      role: 'write',
      expires_at: null,
      audience: null,
    },
  })
})

test('a suspended user is marked as suspended, and their agents have no caller', async () => {
  const sue = await world.user('sue')
  await world.write((tx) =>
    recordActor(tx, {
      id: 'agt_2',
      kind: 'agent',
      username: 'sue/bot',
      name: null,
      on_behalf_of: sue.id,
    }),
  )
  const own = await issue({ actor_id: sue.id })
  const agent = await issue({
    actor_id: 'agt_2',
    kind: 'agent',
    source: 'agent',
    repos: [{ id: 'rep_1', workspace_id: acme.id, name: 'site' }],
  })
  expect(byToken(agent.secret)).not.toBeNull()
  world.hearth.database.run(
    'UPDATE users SET suspended_at = ? WHERE id = ?',
    timestamp(START),
    sue.id,
  )
  expect(byToken(own.secret)).toMatchObject({ suspended: true })
  expect(byToken(agent.secret)).toBeNull()
})
