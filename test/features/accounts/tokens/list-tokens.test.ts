import { expect, test } from 'bun:test'
import { createToken } from '#features/accounts/tokens/create-token.ts'
import { listTokens } from '#features/accounts/tokens/list-tokens.ts'
import { makeWorld, refusal, withToken } from '../../../world.ts'

test("one's own tokens, newest first, without secrets, in pages", async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  for (const name of ['one', 'two', 'three'])
    await world.call(createToken, ada, { name, scopes: ['code:read'] })
  await world.call(createToken, bob, { name: 'other', scopes: ['code:read'] })

  const { items, next } = await world.call(listTokens, ada, {})
  expect(items.map(({ name }) => name)).toEqual(['three', 'two', 'one'])
  expect(next).toBeNull()
  expect(items.some((item) => 'secret' in item)).toBe(false)

  const page = await world.call(listTokens, ada, { per_page: 2 })
  expect([page.items.length, page.next]).toEqual([2, '2'])
  expect(
    (await world.call(listTokens, ada, { per_page: 2, cursor: '2' })).items.map(({ name }) => name),
  ).toEqual(['one'])
  expect(
    (await refusal(world.call(listTokens, withToken(ada, { scopes: ['code:read'] }), {}))).reason,
  ).toBe('scope')
})
