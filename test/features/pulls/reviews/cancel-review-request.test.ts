import { expect, test } from 'bun:test'
import { refusal } from '../../../world.ts'
import { makeReviewWorld } from './review-world.ts'

test('taken back; somebody who is not asked is named', async () => {
  const { otto, ready, ask, cancel, requested } = await makeReviewWorld()
  const number = await ready(otto)
  await ask(number, { users: ['mel', 't1'] })
  expect((await refusal(cancel(number, { users: ['t1', 'max'] }))).field).toBe('users[1]')
  expect((await requested(number)).users).toEqual(['mel', 't1'])
  expect((await cancel(number, { users: ['T1'] })).users).toEqual(['mel'])
  expect((await refusal(cancel(number, {}))).code).toBe('invalid')
})
