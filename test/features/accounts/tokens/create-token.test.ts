import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { checksum62 } from '#lib/hash.ts'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { listTokens } from '#features/accounts/tokens/list-tokens.ts'
import { makeWorld, refusal, withToken, workspaceCaller } from '../../../world.ts'

const world = await makeWorld()
const START = world.clock.at
const ada = await world.user('ada')
const acme = await world.workspace('acme', { owner: ada })
await world.repo('acme/site', { private: true })
await world.repo('acme/docs', { private: true })

const make = (input: object, caller = ada) =>
  world.call(createToken, caller, { name: 'laptop', scopes: ['code:read'], ...input })

test('the secret has its form, works, and is stored as its hash only', async () => {
  const token = await make({})
  expect(token).toMatchObject({
    name: 'laptop',
    kind: 'user',
    source: 'api',
    scopes: ['code:read'],
    repos: null,
    workspace: null,
    role: null,
    last_used_at: null,
  })
  expect(token.expires_at).toBe(timestamp(START + 90 * DAY))
  const secret = token.secret ?? ''
  expect(secret).toMatch(/^hthu_[0-9A-Za-z]{46}$/)
  expect(secret.slice(45)).toBe(checksum62(secret.slice(0, 45)))
  expect(token.last_four).toBe(secret.slice(-4))
  expect(world.hearth.callers.byToken(secret)).toMatchObject({
    kind: 'user',
    id: ada.id,
    token: { id: token.id, scopes: ['code:read'], repos: null },
  })
  expect(JSON.stringify(world.hearth.db.all('SELECT * FROM tokens'))).not.toContain(secret)
})

test('limits to repositories and a workspace are kept by id and shown by name', async () => {
  const token = await make({ repos: ['acme/site'], workspace: 'acme', expires_in_days: 366 })
  expect(token).toMatchObject({
    repos: ['acme/site'],
    workspace: 'acme',
    expires_at: timestamp(START + 366 * DAY),
  })
  const caller = world.hearth.callers.byToken(token.secret ?? '')
  expect(caller).toMatchObject({
    token: { workspace: acme.id, repos: [expect.stringMatching(/^rep_/)] },
  })
})

test('inputs that make no token are refused by name', async () => {
  const wrong: [object, string][] = [
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(65) }, 'name'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['code:read', 'code:fly'] }, 'scopes[1]'],
    [{ expires_in_days: 0 }, 'expires_in_days'],
    [{ expires_in_days: 367 }, 'expires_in_days'],
    [{ repos: ['acme/none'] }, 'repos[0]'],
    [{ repos: [] }, 'repos'],
  ]
  const before = (await world.call(listTokens, ada, {})).items.length
  for (const [input, field] of wrong) {
    const error = await refusal(make(input))
    expect([error.code, error.field]).toEqual(['invalid', field])
  }
  expect((await refusal(make({ workspace: 'elsewhere' }))).code).toBe('not_found')
  expect((await world.call(listTokens, ada, {})).items).toHaveLength(before)
})

test('a stranger cannot limit a token to what they cannot see', async () => {
  const bob = await world.user('bob')
  expect((await refusal(make({ repos: ['acme/site'] }, bob))).field).toBe('repos[0]')
  expect((await refusal(make({ workspace: 'acme' }, bob))).code).toBe('not_found')
})

test('a token cannot create a token with more rights', async () => {
  const [site = ''] = world.hearth.db
    .all<{ id: string }>(`SELECT id FROM repos WHERE name = 'site'`)
    .map(({ id }) => id)
  const narrow = await make({
    scopes: ['user:write', 'code:write'],
    repos: ['acme/site'],
    workspace: 'acme',
    expires_in_days: 10,
  })
  const caller = world.hearth.callers.byToken(narrow.secret ?? '')
  if (caller?.kind !== 'user') throw new Error('no caller')
  expect(caller.token?.repos).toEqual([site])

  const child = await make({ scopes: ['code:read'] }, caller)
  expect(child).toMatchObject({
    repos: ['acme/site'],
    workspace: 'acme',
    expires_at: timestamp(START + 10 * DAY),
  })
  const scope = await refusal(make({ scopes: ['code:write', 'repo:read'] }, caller))
  expect([scope.code, scope.reason, scope.details]).toEqual([
    'forbidden',
    'scope',
    { scope: 'repo:read' },
  ])
  expect((await refusal(make({ repos: ['acme/docs'] }, caller))).field).toBe('repos[0]')
})

test('it is for confirmed people with the scope', async () => {
  const carl = await world.user('carl', { verified: false })
  expect((await refusal(make({}, carl))).reason).toBe('email_unconfirmed')
  expect((await refusal(make({}, withToken(ada, { scopes: ['user:read'] })))).details).toEqual({
    scope: 'user:write',
  })
  const input = { name: 'x', scopes: ['code:read'] }
  expect((await refusal(world.call(createToken, anonymous, input))).code).toBe('unauthenticated')
  expect((await refusal(world.call(createToken, workspaceCaller(acme), input))).reason).toBe(
    'person_required',
  )
})

test('a repeated request gets the token again without its secret', async () => {
  const idempotency = { caller_id: ada.id, key: 'k', operation: 'create_token', body_hash: 'h' }
  const input = { name: 'once', scopes: ['code:read'] }
  const first = await world.call(createToken, ada, input, { idempotency })
  const again = await world.call(createToken, ada, input, { idempotency })
  expect(again).toEqual({ ...first, secret: null })
  expect(JSON.stringify(world.hearth.db.all('SELECT * FROM idempotency_keys'))).not.toContain(
    first.secret ?? 'missing',
  )
})
