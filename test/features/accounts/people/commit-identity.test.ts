import { expect, test } from 'bun:test'
import { commitIdentity, renameActor } from '#features/accounts/index.ts'
import { agentOf, makeWorld, workspaceCaller } from '../../../world.ts'

test('commits carry a private address unless the person shows their own', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const acme = await world.workspace('acme', { owner: ada })
  const hidden = {
    name: 'ada',
    email: `${ada.id.slice(4)}+ada@users.noreply.hearth.test`,
    time: world.clock.at / 1000,
    zone: '+0000',
  }
  expect(commitIdentity(world.hearth, ada)).toEqual(hidden)
  expect(commitIdentity(world.hearth, agentOf(ada, { id: 'rep_1' }, { id: 'agt_1' }))).toEqual(
    hidden,
  )

  await world.write((tx) => renameActor(tx, ada.id, { name: 'Ada Lovelace' }))
  world.hearth.database.run('UPDATE users SET private_email = 0 WHERE id = ?', ada.id)
  expect(commitIdentity(world.hearth, ada)).toMatchObject({
    name: 'Ada Lovelace',
    email: 'ada@example.com',
  })
  expect(commitIdentity(world.hearth, workspaceCaller(acme))).toMatchObject({
    name: 'acme',
    email: `${acme.id.slice(4)}+acme@users.noreply.hearth.test`,
  })
})

test('an unconfirmed address is not used in commits', async () => {
  const world = await makeWorld()
  const bob = await world.user('bob', { verified: false })
  world.hearth.database.run('UPDATE users SET private_email = 0 WHERE id = ?', bob.id)
  expect(commitIdentity(world.hearth, bob).email).toEndWith('@users.noreply.hearth.test')
})
