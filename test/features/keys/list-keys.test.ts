import { expect, test } from 'bun:test'
import { addKey } from '#features/keys/add-key.ts'
import { listKeys } from '#features/keys/list-keys.ts'
import { newSshKey } from '../../ssh.ts'
import { makeWorld, refusal, withToken } from '../../world.ts'

test('a user lists their own keys, newest first, with the scope user:read', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  for (const title of ['Laptop', 'Desk'])
    await world.call(addKey, ada, { title, key: newSshKey().line })
  const { items } = await world.call(listKeys, ada, {})
  expect(items.map(({ title }) => title)).toEqual(['Desk', 'Laptop'])
  expect((await world.call(listKeys, bob, {})).items).toEqual([])
  const limited = withToken(ada, { scopes: ['repo:read'] })
  expect((await refusal(world.call(listKeys, limited, {}))).reason).toBe('scope')
})
