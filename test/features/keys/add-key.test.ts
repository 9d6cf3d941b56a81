import { expect, test } from 'bun:test'
import { addKey } from '#features/keys/add-key.ts'
import { listKeys } from '#features/keys/list-keys.ts'
import { removeKey } from '#features/keys/remove-key.ts'
import { newSshKey } from '../../ssh.ts'
import { makeWorld, refusal } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
const [adas, bobs] = [newSshKey(), newSshKey()]

test('a key is added once, shown to its owner alone, and removed by nobody else', async () => {
  const key = await world.call(addKey, ada, { title: ' Laptop ', key: adas.line, usage: 'signing' })
  expect(key).toMatchObject({
    title: 'Laptop',
    usage: 'signing',
    read_only: false,
    key: adas.line.replace(' somebody@laptop', ''),
  })
  expect(key.id).toStartWith('key_')
  await world.call(addKey, bob, { title: 'Desk', key: bobs.line })
  expect((await world.call(listKeys, ada, {})).items).toEqual([key])
  for (const person of [ada, bob])
    expect(
      await refusal(world.call(addKey, person, { title: 'Again', key: adas.line })),
    ).toMatchObject({ code: 'conflict', field: 'key' })
  expect(await refusal(world.call(addKey, ada, { title: 'No', key: 'hello' }))).toMatchObject({
    code: 'invalid',
    field: 'key',
  })
  expect(await refusal(world.call(removeKey, bob, { id: key.id }))).toMatchObject({
    code: 'not_found',
  })
  expect(
    world.hearth.db.all('SELECT action FROM audit_log WHERE action = ?', 'key.added'),
  ).toHaveLength(2)
})
