/** People are told of runs that they started and that failed. Mail is received by a real server. */
import { afterAll, expect, test } from 'bun:test'
import type { SignedIn } from '#core/caller.ts'
import { listNotifications } from '#features/notifications/list-notifications.ts'
import { markNotification } from '#features/notifications/mark-notification.ts'
import { updateNotificationSettings } from '#features/notifications/settings/update-notification-settings.ts'
import { setSubscription } from '#features/notifications/subscriptions/set-subscription.ts'
import { rerunWorkflowRun } from '#features/workflows/runs/rerun-workflow-run.ts'
import { receiver } from '../../notifications/smtp.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from '../fixture.ts'

const server = await receiver()
afterAll(() => server.close())

const ERROR = {
  step: 1,
  level: 'failure',
  file: 'a.c',
  line: 2,
  end_line: null,
  column: null,
  title: null,
  message: 'expected ;\nbefore }',
} as const

async function setUp() {
  const fixture = await makeRunsWorld({
    mail: { url: server.url, from: 'Forge <forge@example.com>' },
  })
  const { world } = fixture
  return {
    ...fixture,
    mails: async () => {
      server.received.length = 0
      await world.jobs()
      return [...server.received]
    },
    told: async (as: SignedIn) => (await world.call(listNotifications, as, {})).items,
  }
}

test('whoever started a run that fails is told the job and its first error, and nobody else', async () => {
  const { world, ada, bob, push, take, finish, mails, told, runs } = await setUp()
  await world.call(setSubscription, ada, { repo: REPO.repo, level: 'all' })
  await push({ [FILE]: ONE_JOB }, { as: bob, message: 'Bake bread' })
  const job = await take()
  const [{ id: run_id } = { id: '' }] = await runs()
  server.received.length = 0
  await finish(job, { conclusion: 'failure', annotations: [ERROR] })
  const received = [...server.received, ...(await mails())]
  expect(received.map(({ to }) => to)).toEqual([['bob@example.com']])
  const [mail] = received
  expect(mail?.headers.get('x-hearth-reason')).toBe('checks_failed')
  expect(mail?.headers.get('subject')).toContain('[acme/site] Test #1: Bake bread')
  expect(mail?.body).toContain('build: expected ; before }')
  expect(mail?.body).toContain(`/acme/site/runs/${run_id}`)
  const [notification, ...more] = await told(bob)
  expect(more).toEqual([])
  expect(notification).toMatchObject({
    reason: 'checks_failed',
    subject: {
      kind: 'run',
      title: 'Test #1: Bake bread',
      url: `https://hearth.test/acme/site/runs/${run_id}`,
    },
    happened: { excerpt: 'build: expected ; before }' },
  })
  expect(await told(ada)).toEqual([])

  // The next failure of the workflow on the branch moves it up, a success tells nothing.
  await world.call(markNotification, bob, { id: notification?.id ?? '', state: 'done' })
  await push({ 'a.txt': '2' }, { as: bob, message: 'Second' })
  await finish(await take(), { conclusion: 'success' })
  expect(await told(bob)).toEqual([])
  await push({ 'a.txt': '3' }, { as: bob, message: 'Third' })
  await finish(await take(), { conclusion: 'timed_out', reason: 'It took too long' })
  expect(
    (await told(bob)).map(({ id, subject, happened }) => [id, subject.title, happened?.excerpt]),
  ).toEqual([[notification?.id ?? '', 'Test #3: Third', 'build: It took too long']])
})

test('a rerun tells who ran it again, files with errors tell too, and settings end mail', async () => {
  const { world, ada, bob, push, take, finish, mails, told, runs } = await setUp()
  await push({ [FILE]: ONE_JOB }, { as: bob })
  await finish(await take(), { conclusion: 'success' })
  expect(await told(bob)).toEqual([])
  const [run] = await runs()
  await world.call(rerunWorkflowRun, ada, { ...REPO, id: run?.id ?? '' })
  await world.jobs()
  await world.call(updateNotificationSettings, ada, { mail: ['mention'] })
  await mails()
  server.received.length = 0
  await finish(await take(), { conclusion: 'failure' })
  expect([...server.received, ...(await mails())]).toEqual([])
  expect((await told(ada)).map(({ happened }) => happened?.excerpt)).toEqual(['build'])
  expect(await told(bob)).toEqual([])

  await world.call(setSubscription, ada, { repo: REPO.repo, level: 'ignored' })
  await push({ [FILE]: ONE_JOB.replace('steps:', 'stesp:') }, { as: ada })
  await push({ [FILE]: ONE_JOB.replace('steps:', 'stesps:') }, { as: bob })
  expect((await told(bob)).map(({ happened }) => happened?.excerpt)).toEqual([
    expect.stringContaining('stesps'),
  ])
  expect((await told(ada)).length).toBe(1)
})
