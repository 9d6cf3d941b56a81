import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { SECOND } from '#lib/time.ts'
import { forgotPassword } from '#features/accounts/passwords/forgot-password.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { sentMails } from '../mailbox.ts'
import { withPassword } from '../with-password.ts'

test('a link is mailed only to addresses of accounts; the response is always the same', async () => {
  const world = await makeWorld()
  await world.user('ada')
  const known = await world.call(forgotPassword, anonymous, { email: 'Ada@example.com' })
  const unknown = await world.call(forgotPassword, anonymous, { email: 'nobody@example.com' })
  expect(known).toEqual(unknown)
  const mail = await sentMails(world)
  expect(mail.map(({ to }) => to)).toEqual(['ada@example.com'])
  expect(mail[0]?.text).toContain(`https://hearth.test/reset?token=${mail[0]?.token}`)
})

test('the request itself does the same for every address: one job, no link', async () => {
  const world = await makeWorld()
  await world.user('ada')
  const jobs = () => world.hearth.db.all<{ kind: string }>('SELECT kind FROM jobs').length
  for (const email of ['ada@example.com', 'nobody@example.com']) {
    const before = jobs()
    await world.call(forgotPassword, anonymous, { email })
    expect(jobs()).toBe(before + 1)
    expect(world.hearth.db.all('SELECT * FROM proofs')).toEqual([])
  }
})

test('the jobs table contains no secret', async () => {
  const world = await makeWorld()
  await world.user('ada')
  await world.call(forgotPassword, anonymous, { email: 'ada@example.com' })
  expect(
    world.hearth.db
      .all<{ input: string }>('SELECT input FROM jobs')
      .map(({ input }) => JSON.parse(input)),
  ).toEqual([{ email: 'ada@example.com' }])
})

test('an unconfirmed address reaches the accounts that claim it, a confirmed one only its owner', async () => {
  const world = await makeWorld()
  await withPassword(world, 'claim', { verified: false, email: 'shared@example.com' })
  await world.call(forgotPassword, anonymous, { email: 'shared@example.com' })
  expect((await sentMails(world)).map(({ text }) => /account (\w+)/.exec(text)?.[1])).toEqual([
    'claim',
  ])
  world.clock.advance(SECOND)
  await withPassword(world, 'owner', { email: 'shared@example.com' })
  await world.call(forgotPassword, anonymous, { email: 'shared@example.com' })
  expect((await sentMails(world)).map(({ text }) => /account (\w+)/.exec(text)?.[1])).toEqual([
    'claim',
    'owner',
  ])
})

test('what is no address is refused, naming the field', async () => {
  const world = await makeWorld()
  for (const email of [
    'ada',
    'a@b@c',
    '@example.com',
    'ada@',
    'a b@example.com',
    'ada@example.com\r\nBcc: all@example.com',
    `${'a'.repeat(65)}@example.com`,
    'ada@-x.com',
    '"a"@x.com',
  ]) {
    const error = await refusal(world.call(forgotPassword, anonymous, { email }))
    expect([error.code, error.field]).toEqual(['invalid', 'email'])
  }
  expect(world.hearth.db.all(`SELECT 1 FROM jobs WHERE kind = 'mail_reset'`)).toEqual([])
})
