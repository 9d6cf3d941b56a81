import { expect, test } from 'bun:test'
import { addKey } from '#features/keys/add-key.ts'
import { listKeys } from '#features/keys/list-keys.ts'
import { removeKey } from '#features/keys/remove-key.ts'
import { newSshKey } from '../../ssh.ts'
import { makeWorld, refusal } from '../../world.ts'

test('a removed key leaves the list, can be added again, and is in the audit log', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const { line } = newSshKey()
  const { id } = await world.call(addKey, ada, { title: 'Laptop', key: line })
  expect(await world.call(removeKey, ada, { id })).toBeNull()
  expect((await world.call(listKeys, ada, {})).items).toEqual([])
  expect(await refusal(world.call(removeKey, ada, { id }))).toMatchObject({ code: 'not_found' })
  await world.call(addKey, ada, { title: 'Again', key: line })
  expect(world.hearth.db.all(`SELECT 1 FROM audit_log WHERE action = 'key.removed'`)).toHaveLength(
    1,
  )
})
