import { nowhere } from '#core/audit.ts'
import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { signOut } from '#features/accounts/sign-in/sign-out.ts'
import { createSignIn } from '#features/accounts/sign-in/sign-ins.ts'
import { makeWorld, withToken } from '../../../world.ts'

test('sign_out ends only the sign-in of this browser', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada', { verified: false })
  const start = () =>
    world.write((tx) => createSignIn(tx, ada, { method: 'password', origin: nowhere }))
  const [here, there] = [await start(), await start()]
  const of = (signIn: { secret: string | null }) =>
    world.hearth.callers.bySignIn(signIn.secret ?? '')
  expect(await world.call(signOut, of(here) ?? anonymous, {})).toBeNull()
  expect(of(here)).toBeNull()
  expect(of(there)).toMatchObject({ id: ada.id, sign_in: there.id })
})

test('sign_out without a sign-in changes nothing', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.write((tx) => createSignIn(tx, ada, { method: 'password', origin: nowhere }))
  expect(await world.call(signOut, anonymous, {})).toBeNull()
  expect(await world.call(signOut, withToken(ada, {}), {})).toBeNull()
  expect(world.hearth.db.all('SELECT 1 FROM sign_ins')).toHaveLength(1)
})
