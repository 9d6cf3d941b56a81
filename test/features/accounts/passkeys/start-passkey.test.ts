import { expect, test } from 'bun:test'
import { startPasskey } from '#features/accounts/passkeys/start-passkey.ts'
import { makeWorld } from '../../../world.ts'
import { withPassword } from '../with-password.ts'
import { withPasskey } from './passkey-fixture.ts'

test('the options name the site and the user, and exclude the passkeys that exist', async () => {
  const world = await makeWorld()
  const ada = await withPassword(world, 'ada')
  const { key } = await withPasskey(world, ada)
  const start = await world.call(startPasskey, ada, {})
  expect(JSON.parse(start?.options ?? 'null')).toMatchObject({
    rp: { id: 'hearth.test', name: 'Hearth' },
    user: { name: 'ada' },
    excludeCredentials: [{ id: key.id }],
  })
  expect(start?.state).not.toBe('')
})
