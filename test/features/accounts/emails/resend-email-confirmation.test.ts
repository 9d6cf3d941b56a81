import { expect, test } from 'bun:test'
import { HOUR } from '#lib/time.ts'
import { resendEmailConfirmation } from '#features/accounts/emails/resend-email-confirmation.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { sentMails } from '../mailbox.ts'

test('an unconfirmed user requests the link again', async () => {
  const world = await makeWorld()
  const bob = await world.user('bob', { verified: false })
  expect(await world.call(resendEmailConfirmation, bob, { email: 'BOB@example.com' })).toBeNull()
  const [letter, ...more] = await sentMails(world)
  expect(more).toEqual([])
  expect(letter).toMatchObject({
    to: 'bob@example.com',
    file: '2026-03-01T12-00-00.000Z-confirm-bob@example.com.eml',
  })
  expect(letter?.text).toContain(`https://hearth.test/confirm?token=${letter?.token}`)
})

test('at most five links an hour are mailed', async () => {
  const world = await makeWorld()
  const bob = await world.user('bob', { verified: false })
  for (let i = 0; i < 8; i++) {
    await world.call(resendEmailConfirmation, bob, { email: 'bob@example.com' })
    await world.jobs()
  }
  expect(await sentMails(world)).toHaveLength(5)
  world.clock.advance(HOUR + 1)
  await world.call(resendEmailConfirmation, bob, { email: 'bob@example.com' })
  expect(await sentMails(world)).toHaveLength(6)
})

test('nothing is sent for addresses of others and for confirmed addresses', async () => {
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
  expect(await sentMails(world)).toEqual([])
})
