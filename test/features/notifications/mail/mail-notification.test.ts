/** Mail about notifications, received by a real SMTP server. */
import { afterAll, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { unsubscribe } from '#features/notifications/mail/unsubscribe.ts'
import { updateNotificationSettings } from '#features/notifications/settings/update-notification-settings.ts'
import { setSubscription } from '#features/notifications/subscriptions/set-subscription.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { setRepoVisibility } from '#features/repos/lifecycle/set-repo-visibility.ts'
import { recordActor } from '#features/accounts/index.ts'
import { DAY, HOUR, MINUTE } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'
import { agentOf } from '../../../world.ts'
import { sentMails } from '../../accounts/mailbox.ts'
import { makeNotificationWorld } from '../fixture.ts'
import { receiver, type Received } from '../smtp.ts'

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

test('a conversation is one thread: the first mail is its root, the others answer it', async () => {
  const { world, issue, comment, ada, max, otto, site } = await made()
  await world.call(setSubscription, max, { repo: 'acme/site', level: 'all' })
  const number = await issue(ada, {
    title: 'Size is wrong',
    body: 'Look, @mel: Größe is 1 < 2.\n.\nReally',
  })
  const [first, second, ...more] = await mails(world)
  expect(more).toEqual([])
  expect([first?.to, second?.to]).toEqual([['max@example.com'], ['mel@example.com']])
  const root = `<${site.id}.${number}@hearth.test>`
  expect(second?.headers.get('message-id')).toBe(root)
  expect(second?.headers.get('from')).toBe('ada <forge@example.com>')
  expect(second?.headers.has('in-reply-to')).toBe(false)
  expect(second?.headers.get('list-id')).toBe('"acme/site" <site.acme.hearth.test>')
  expect(second?.headers.get('x-hearth-reason')).toBe('mention')
  expect(first?.headers.get('x-hearth-reason')).toBe('subscribed')
  expect(second?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
  expect(second?.headers.get('auto-submitted')).toBe('auto-generated')
  expect(second?.body).toContain('ada opened issue')
  expect(second?.body).toContain('Look, @mel: Größe is 1 < 2.\n.\nReally')
  expect(second?.body).toContain('You receive this because you were mentioned.')
  expect(second?.body).toContain(`https://hearth.test/acme/site/issues/${number}`)
  expect(link(first)).not.toBe(link(second))

  const id = await comment(otto, number, 'I see it too.')
  const answers = await mails(world)
  expect(answers.map(({ to }) => to[0])).toEqual([
    'ada@example.com',
    'max@example.com',
    'mel@example.com',
  ])
  const [answer] = answers
  expect(answer?.headers.get('in-reply-to')).toBe(root)
  expect(answer?.headers.get('references')).toBe(root)
  expect(answer?.headers.get('message-id')).not.toBe(root)
  expect(second?.headers.get('subject')).toBe(`[acme/site] Size is wrong (#${number})`)
  expect(answer?.headers.get('subject')).toBe(`Re: [acme/site] Size is wrong (#${number})`)
  expect(answer?.body).toContain('I see it too.')
  expect(id).toStartWith('cmt_')
  await world.call(closeIssue, ada, { repo: 'acme/site', number })
  expect((await mails(world)).map(({ to }) => to[0])).toEqual([
    'max@example.com',
    'mel@example.com',
    'otto@example.com',
  ])
})

test('each reason has its switch; the site still tells', async () => {
  const { world, issue, told, ada, mel } = await made()
  const settings = await world.call(updateNotificationSettings, mel, { mail: ['assigned'] })
  expect(settings.mail.filter(({ on }) => on)).toEqual([{ reason: 'assigned', on: true }])
  const number = await issue(ada, { body: '@mel' })
  expect(await mails(world)).toEqual([])
  expect(await told(mel)).toEqual([`mention #${number}`])
  await issue(ada, { assignees: ['mel'] })
  const [mail] = await mails(world)
  expect(mail?.headers.get('x-hearth-reason')).toBe('assigned')
})

test('nothing is mailed to an address that is not confirmed, to a suspended person, or to who cannot read it', async () => {
  const { world, issue, ada, mel, otto, told } = await made()
  const zoe = await world.user('zoe', { verified: false })
  await world.write(
    (tx) => void tx.db.run('UPDATE users SET suspended_at = ? WHERE id = ?', tx.now, mel.id),
  )
  const number = await issue(ada, { body: '@zoe @mel' })
  await issue(ada, { body: '@otto' }, 'acme/vault')
  expect(await mails(world)).toEqual([])
  expect(await told(zoe)).toEqual([`mention #${number}`])
  expect(await told(otto)).toEqual([])
})

test('what is mailed is decided when it is sent: whoever lost sight meanwhile gets nothing', async () => {
  const { world, issue, ada, otto } = await made()
  server.refuse(1)
  await issue(ada, { body: '@otto' })
  expect(await mails(world)).toEqual([])
  await world.call(setRepoVisibility, ada, {
    repo: 'acme/site',
    private: true,
    confirm: 'acme/site',
  })
  world.clock.advance(MINUTE)
  expect(await mails(world)).toEqual([])
  expect(otto.username).toBe('otto')
})

test('a server that refuses for now gets the mail later, once', async () => {
  const { world, issue, ada } = await made()
  server.refuse(1)
  await issue(ada, { body: '@mel' })
  expect(await mails(world)).toEqual([])
  world.clock.advance(MINUTE)
  expect((await mails(world)).map(({ to }) => to[0])).toEqual(['mel@example.com'])
  world.clock.advance(HOUR)
  expect(await mails(world)).toEqual([])
})

test('what strangers write stays out of the headers', async () => {
  const { world, issue, ada, otto } = await made()
  await issue(otto, {
    title: 'Hi "x" <bcc@example.com>, Bcc: all',
    body: '@mel\n\nBcc: everyone@example.com\n',
  })
  const [mail] = await mails(world)
  expect(mail?.to).toEqual(['mel@example.com'])
  expect(
    [...(mail?.headers.keys() ?? [])].filter((name) => name === 'bcc' || name === 'cc'),
  ).toEqual([])
  expect(ada.username).toBe('ada')
})

test("the digest tells what one's agents did, hourly or daily, once, and never of what one cannot read", async () => {
  const { world, issue, comment, ada, mel, site } = await made()
  await world.jobs()
  const id = typeId('agt', world.clock.now())
  await world.write((tx) =>
    recordActor(tx, { id, kind: 'agent', username: 'mel/bot', name: null, on_behalf_of: mel.id }),
  )
  const bot = agentOf(mel, site, { id })
  await comment(bot, await issue(ada), 'Before the digest was on')
  await world.call(updateNotificationSettings, mel, { digest: 'hourly' })
  const number = await issue(bot)
  await comment(bot, number, 'Done.')
  await comment(ada, number, 'By a person.')
  const digests = async () =>
    (await mails(world)).filter(({ headers }) => headers.get('list-id')?.includes('digest'))
  expect(await digests()).toEqual([])
  world.clock.advance(HOUR + 10 * MINUTE)
  const { planDigests } = await import('#features/notifications/mail/digest.ts')
  const plan = async () =>
    void (await planDigests.run(
      { hearth: world.hearth, signal: new AbortController().signal, attempt: 1, id: 'bgj_x' },
      null,
    ))
  await plan()
  const [digest, ...more] = await digests()
  expect(more).toEqual([])
  expect(digest?.to).toEqual(['mel@example.com'])
  expect(digest?.body).toContain('mel/bot did this')
  expect(digest?.body).toContain(`mel/bot opened issue #${number}`)
  expect(digest?.body).not.toContain('#1')
  expect(digest?.body).not.toContain('ada')
  world.clock.advance(HOUR + 10 * MINUTE)
  await plan()
  expect(await digests()).toEqual([])
  await comment(bot, number, 'Again.')
  await world.call(unsubscribe, anonymous, { token: token(digest) })
  world.clock.advance(2 * DAY)
  await plan()
  expect(await digests()).toEqual([])
})

test('without a mail server the mail is written to the outbox', async () => {
  const { world, issue, told, mel } = await makeNotificationWorld()
  const number = await issue(undefined, { body: 'Look, @mel.' })
  expect(await told(mel)).toEqual([`mention #${number}`])
  const [mail, ...more] = await sentMails(world)
  expect(more).toEqual([])
  expect([mail?.to, mail?.subject]).toEqual([
    'mel@example.com',
    `[acme/site] It is broken (#${number})`,
  ])
})
