import { expect, test } from 'bun:test'
import { addPasskey } from '#features/accounts/passkeys/add-passkey.ts'
import { getSecurity } from '#features/accounts/two-factor/get-security.ts'
import { startPasskey } from '#features/accounts/passkeys/start-passkey.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { softPasskey } from './soft-passkey.ts'
import { withPassword } from '../with-password.ts'
import { ORIGIN } from './passkey-fixture.ts'

const world = await makeWorld()

test('a challenge of another user is refused, and a passkey is added once', async () => {
  const dora = await withPassword(world, 'dora')
  const fay = await withPassword(world, 'fay')
  const start = await world.call(startPasskey, dora, {})
  const key = softPasskey(ORIGIN)
  expect(
    (
      await refusal(
        world.call(addPasskey, fay, {
          state: start?.state ?? '',
          response: key.make(start?.options ?? ''),
        }),
      )
    ).field,
  ).toBe('passkey')
  expect(
    (
      await refusal(
        world.call(addPasskey, dora, {
          state: start?.state ?? '',
          response: key.make(start?.options ?? '', { origin: 'https://evil.test' }),
        }),
      )
    ).field,
  ).toBe('passkey')
  const response = key.make(start?.options ?? '')
  await world.call(addPasskey, dora, { state: start?.state ?? '', response })
  expect(
    (await refusal(world.call(addPasskey, dora, { state: start?.state ?? '', response }))).field,
  ).toBe('passkey')
  expect((await world.call(getSecurity, dora, {})).passkeys).toHaveLength(1)
})
