import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { register } from '#features/workspaces/register.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { sentMails } from '../accounts/mailbox.ts'
import { seeded } from './invitation-fixture.ts'

test('a withdrawn or expired invitation allows no sign-up', async () => {
  const { world, ada, invite, revoke, list } = await seeded({ sign_up: 'invite' })
  const first = await invite('new@example.com')
  const [letter] = await sentMails(world)
  const code = /\?code=(\S+)/.exec(letter?.text ?? '')?.[1] ?? ''
  expect(await revoke(first.id)).toMatchObject({
    state: 'withdrawn',
    answered_at: expect.any(String),
  })
  const enter = () =>
    world.call(register, anonymous, {
      username: 'newton',
      email: 'new@example.com',
      password: 'correct horse battery',
      invite: code,
    })
  expect((await refusal(enter())).field).toBe('invite')
  const second = await invite('late@example.com')
  const late = /\?code=(\S+)/.exec((await sentMails(world)).at(-1)?.text ?? '')?.[1] ?? ''
  world.clock.advance(7 * DAY + 1)
  expect(
    (
      await refusal(
        world.call(register, anonymous, {
          username: 'late',
          email: 'late@example.com',
          password: 'correct horse battery',
          invite: late,
        }),
      )
    ).field,
  ).toBe('invite')
  expect((await refusal(revoke(second.id))).reason).toBe('not_open')
  expect((await list()).map(({ state }) => state)).toEqual(['expired', 'withdrawn'])
  expect((await invite('late@example.com')).state).toBe('pending')
  expect((await list()).map(({ state }) => state)).toEqual(['pending', 'expired', 'withdrawn'])
  world.clock.advance(24 * DAY)
  expect((await list()).map(({ state }) => state)).toEqual(['expired'])
  expect(ada.username).toBe('ada')
})
