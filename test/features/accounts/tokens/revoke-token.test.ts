import { expect, test } from 'bun:test'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { listTokens } from '#features/accounts/tokens/list-tokens.ts'
import { revokeToken } from '#features/accounts/tokens/revoke-token.ts'
import { makeWorld, refusal } from '../../../world.ts'

test('a revoked token is refused at once, and is gone', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const { id, secret } = await world.call(createToken, ada, {
    name: 'laptop',
    scopes: ['code:read'],
  })
  expect(world.hearth.callers.byToken(secret ?? '')).not.toBeNull()
  expect(await world.call(revokeToken, ada, { id })).toBeNull()
  expect(world.hearth.callers.byToken(secret ?? '')).toBeNull()
  expect((await world.call(listTokens, ada, {})).items).toEqual([])
  expect((await refusal(world.call(revokeToken, ada, { id }))).code).toBe('not_found')
})

test('the tokens of others are not there', async () => {
  const world = await makeWorld()
  const { id, secret } = await world.call(createToken, await world.user('ada'), {
    name: 'laptop',
    scopes: ['code:read'],
  })
  for (const wrong of [id, 'tok_x', 'nonsense']) {
    expect(
      (await refusal(world.call(revokeToken, await world.user('bob'), { id: wrong }))).code,
    ).toBe('not_found')
  }
  expect(world.hearth.callers.byToken(secret ?? '')).not.toBeNull()
})
