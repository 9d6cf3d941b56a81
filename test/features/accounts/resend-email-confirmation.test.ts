import { expect, test } from 'bun:test'
import { HOUR } from '#lib/time.ts'
import { resendEmailConfirmation } from '#features/accounts/resend-email-confirmation.ts'
import { makeWorld, refusal } from '../../world.ts'
import { letters } from './mailbox.ts'

test('an unconfirmed person asks for the link again', async () => {
  const world = await makeWorld()
  const bob = await world.user('bob', { verified: false })
  expect(await world.call(resendEmailConfirmation, bob, { email: 'BOB@example.com' })).toBeNull()
  const [letter, ...more] = await letters(world)
  expect(more).toEqual([])
  expect(letter).toMatchObject({
    to: 'bob@example.com',
    file: '2026-03-01T12-00-00.000Z-confirm-bob@example.com.eml',
  })
  expect(letter?.text).toContain(`https://hearth.test/confirm?token=${letter?.token}`)
})

test('nobody is mailed more than five links an hour', async () => {
  const world = await makeWorld()
  const bob = await world.user('bob', { verified: false })
  for (let i = 0; i < 8; i++) {
    await world.call(resendEmailConfirmation, bob, { email: 'bob@example.com' })
    await world.jobs()
  }
  expect(await letters(world)).toHaveLength(5)
  world.clock.advance(HOUR + 1)
  await world.call(resendEmailConfirmation, bob, { email: 'bob@example.com' })
  expect(await letters(world)).toHaveLength(6)
})

test("there is nothing to send for other people's addresses and confirmed ones", async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob', { verified: false })
  expect(
    (await refusal(world.call(resendEmailConfirmation, bob, { email: 'ada@example.com' }))).code,
  ).toBe('not_found')
  const confirmed = await refusal(
    world.call(resendEmailConfirmation, ada, { email: 'ada@example.com' }),
  )
  expect([confirmed.code, confirmed.reason]).toEqual(['conflict', 'not_open'])
  expect(await letters(world)).toEqual([])
})
