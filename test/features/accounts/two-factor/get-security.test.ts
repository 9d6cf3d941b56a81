import { expect, test } from 'bun:test'
import { getSecurity } from '#features/accounts/two-factor/get-security.ts'
import { makeWorld } from '../../../world.ts'
import { withPassword } from '../with-password.ts'
import { withAuthenticator } from './authenticator-fixture.ts'

test('the page shows the password, the factors and the identities of the caller', async () => {
  const world = await makeWorld()
  const ada = await withPassword(world, 'ada')
  const before = {
    has_password: true,
    two_factor_enabled: false,
    authenticator_since: null,
    recovery_codes_left: 0,
    passkeys: [],
    passkeys_possible: true,
    identities: [],
    primary: 'ada@example.com',
  }
  expect(await world.call(getSecurity, ada, {})).toEqual(before)
  await withAuthenticator(world, ada)
  expect(await world.call(getSecurity, ada, {})).toMatchObject({
    two_factor_enabled: true,
    authenticator_since: expect.any(String),
    recovery_codes_left: 10,
  })
  expect(await world.call(getSecurity, await world.user('bob'), {})).toMatchObject({
    has_password: false,
  })
})
