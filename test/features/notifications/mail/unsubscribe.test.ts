import { afterAll, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getUnsubscription } from '#features/notifications/mail/get-unsubscription.ts'
import { unsubscribe } from '#features/notifications/mail/unsubscribe.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'
import { receiver, type Received } from '../smtp.ts'
import { spoil } from '../../../spoil.ts'

const server = await receiver()
const made = () =>
  makeNotificationWorld({ mail: { url: server.url, from: 'Forge <forge@example.com>' } })
const mails = async (world: Awaited<ReturnType<typeof made>>['world']): Promise<Received[]> => {
  server.received.length = 0
  await world.jobs()
  return [...server.received].sort((a, b) => ((a.to[0] ?? '') < (b.to[0] ?? '') ? -1 : 1))
}
const link = (mail: Received | undefined): string =>
  /^<(.*)>$/.exec(mail?.headers.get('list-unsubscribe') ?? '')?.[1] ?? ''
const token = (mail: Received | undefined): string =>
  link(mail).slice('https://hearth.test/notifications/unsubscribe/'.length)

afterAll(() => server.close())

test('one click ends the mail of one conversation, without a sign-in; no other link does', async () => {
  const { world, issue, comment, ada, otto } = await made()
  const number = await issue(ada)
  await comment(otto, number, 'One')
  const [mail] = await mails(world)
  expect(mail?.to).toEqual(['ada@example.com'])
  expect(await world.call(getUnsubscription, anonymous, { token: token(mail) })).toEqual({
    what: `#${number} “It is broken”`,
  })
  expect(
    (await refusal(world.call(unsubscribe, anonymous, { token: spoil(token(mail)) }))).code,
  ).toBe('not_found')
  await comment(otto, number, 'Two')
  expect(await mails(world)).toHaveLength(1)
  await world.call(unsubscribe, anonymous, { token: token(mail) })
  await world.call(unsubscribe, anonymous, { token: token(mail) })
  await comment(otto, number, 'Three')
  expect(await mails(world)).toEqual([])
  world.clock.advance(401 * DAY)
  expect((await refusal(world.call(unsubscribe, anonymous, { token: token(mail) }))).code).toBe(
    'not_found',
  )
})
