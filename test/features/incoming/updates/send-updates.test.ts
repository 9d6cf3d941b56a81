import { expect, test } from 'bun:test'
import { setIncomingHook } from '#features/incoming/set-incoming-hook.ts'
import { updateIntegration } from '#features/integrations/update-integration.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { deleteComment } from '#features/issues/comments/delete-comment.ts'
import { reopenIssue } from '#features/issues/reopen-issue.ts'
import { hmacSha256 } from '#lib/hash.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { refusal } from '../../../world.ts'
import { makeIncomingWorld, REPO, SECRET } from '../fixture.ts'
import { githubIssue } from '../payloads.ts'
import { trackerReceiver, type Told } from './tracker-receiver.ts'

const SYNC = { sync_status: true, sync_comments: true }

/** A service of the kind `webhook` with one open issue, and what it is told. */
async function makeTold(answer?: (told: Told) => { status?: number; headers?: HeadersInit }) {
  const base = await makeIncomingWorld()
  const receiver = trackerReceiver(answer)
  const connected = await base.connect('webhook', {
    config: { update_url: `${receiver.url}/told?by=hearth` },
    sync: SYNC,
  })
  const tell = (state: string) => connected.sendSigned({ id: 'a1', title: 'Leak', state })
  await tell('open')
  const [{ number } = { number: 0 }] = await base.issues()
  return { ...base, ...connected, ...receiver, number, tell }
}

test('any program is told as signed JSON, with one id for all attempts', async () => {
  let status = 503
  const { world, ada, number, told, updates } = await makeTold(() => ({ status }))
  await world.call(closeIssue, ada, { repo: REPO, number, reason: 'not_planned' })
  await world.jobs()
  expect(await updates()).toMatchObject([
    { kind: 'status', issue: number, state: 'waiting', attempt: 1, finished_at: null },
  ])
  expect((await updates())[0]?.message).toBe('Any service answered with status 503: {}')
  status = 204
  world.clock.advance(MINUTE)
  await world.jobs()
  expect(told.map(({ path }) => path)).toEqual(['/told?by=hearth', '/told?by=hearth'])
  const [first, second] = told
  expect(JSON.parse(second?.body ?? '')).toEqual({
    kind: 'status',
    id: 'a1',
    state: 'closed',
    reason: 'not_planned',
    issue: {
      repo: REPO,
      number,
      url: `${world.hearth.settings.site_url}/${REPO}/issues/${number}`,
    },
  })
  expect(second?.headers.get('x-hub-signature-256')).toBe(
    `sha256=${Buffer.from(hmacSha256(SECRET, second?.body ?? '')).toString('hex')}`,
  )
  expect(second?.headers.get('idempotency-key')).toBe(
    first?.headers.get('idempotency-key') ?? 'none',
  )
  expect(await updates()).toMatchObject([{ state: 'sent', attempt: 2, next_attempt_at: null }])
})

test('the answer to what was told changes nothing here', async () => {
  const { world, ada, number, told, tell, issue } = await makeTold()
  await world.call(closeIssue, ada, { repo: REPO, number })
  await world.jobs()
  const events = world.events().length
  await tell('closed')
  await world.jobs()
  expect(world.events().length).toBe(events)
  expect(told).toHaveLength(1)
  await tell('open')
  // Nothing says that it happened anew, so the person's word counts.
  expect((await issue(number)).issue.state).toBe('closed')
})

test('what goes forth and back while a service is down is told once, as it is', async () => {
  let status = 500
  const { world, ada, number, told, updates } = await makeTold(() => ({ status }))
  await world.call(closeIssue, ada, { repo: REPO, number })
  await world.jobs()
  await world.call(reopenIssue, ada, { repo: REPO, number })
  await world.call(closeIssue, ada, { repo: REPO, number })
  await world.call(reopenIssue, ada, { repo: REPO, number })
  status = 200
  world.clock.advance(MINUTE)
  await world.jobs()
  // Only the first attempt was sent: it is open there, as it is here.
  expect(told).toHaveLength(1)
  expect(await updates()).toMatchObject([
    { state: 'cancelled', message: 'it is so there already', attempt: 1 },
  ])
})

test('a change while the service is told is told next', async () => {
  const gate = Promise.withResolvers<void>()
  const base = await makeIncomingWorld()
  let asked = 0
  const arrived = Promise.withResolvers<void>()
  const states: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      states.push(((await request.json()) as { state: string }).state)
      if (asked++ === 0) {
        arrived.resolve()
        await gate.promise
      }
      return new Response(null, { status: 204 })
    },
  })
  const { sendSigned, updates } = await base.connect('webhook', {
    config: { update_url: `http://127.0.0.1:${server.port}` },
    sync: SYNC,
  })
  await sendSigned({ id: 'a1', title: 'Leak', state: 'open' })
  const [{ number } = { number: 0 }] = await base.issues()
  const { world, ada } = base
  await world.call(closeIssue, ada, { repo: REPO, number })
  const jobs = world.jobs()
  await arrived.promise
  await world.call(reopenIssue, ada, { repo: REPO, number })
  gate.resolve()
  await jobs
  await world.jobs()
  expect(states).toEqual(['closed', 'open'])
  expect(await updates()).toMatchObject([{ state: 'sent' }, { state: 'sent' }])
  void server.stop(true)
})

test('attempts end after seven hours, at once where another cannot help, and when it is asked to wait', async () => {
  let answer: { status: number; headers?: HeadersInit } = { status: 502 }
  const { world, ada, number, told, updates } = await makeTold(() => answer)
  await world.call(closeIssue, ada, { repo: REPO, number })
  await world.jobs()
  for (const delay of [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR]) {
    world.clock.advance(delay - 1)
    await world.jobs()
    const before = told.length
    world.clock.advance(1)
    await world.jobs()
    expect(told).toHaveLength(before + 1)
  }
  expect(await updates()).toMatchObject([{ state: 'failed', attempt: 6, next_attempt_at: null }])
  world.clock.advance(24 * HOUR)
  await world.jobs()
  expect(told).toHaveLength(6)

  answer = { status: 404 }
  await world.call(addComment, ada, { repo: REPO, number, body: 'Gone there.' })
  await world.jobs()
  expect(await updates()).toMatchObject([{ kind: 'comment', state: 'failed', attempt: 1 }, {}])

  answer = { status: 429, headers: { 'retry-after': '600' } }
  await world.call(addComment, ada, { repo: REPO, number, body: 'Slowly.' })
  await world.jobs()
  const sent = told.length
  answer = { status: 200 }
  world.clock.advance(9 * MINUTE)
  await world.jobs()
  expect(told).toHaveLength(sent)
  world.clock.advance(MINUTE)
  await world.jobs()
  expect(told).toHaveLength(sent + 1)
})

test('comments of people without write, of services and deleted ones are not told', async () => {
  const { world, ada, number, told, updates } = await makeTold()
  const eve = await world.user('eve')
  await world.call(addComment, eve, { repo: REPO, number, body: 'Buy my pills.' })
  await world.jobs()
  expect(told).toEqual([])
  expect(await updates()).toEqual([])
  const { id } = await world.call(addComment, ada, { repo: REPO, number, body: 'Oh no.' })
  await world.call(deleteComment, ada, { repo: REPO, id })
  await world.jobs()
  expect(told).toEqual([])
  expect(await updates()).toMatchObject([
    { state: 'cancelled', message: 'the comment was deleted', attempt: 0 },
  ])
})

test('secrets are taken out of what is told, and the token out of what a service says', async () => {
  const token = `ghp_${'A1b2C3d4E5f6G7h8I9j0'.repeat(2).slice(0, 36)}`
  const base = await makeIncomingWorld()
  const receiver = trackerReceiver(({ headers }) => ({
    status: 403,
    json: { message: `bad ${headers.get('authorization')}` },
  }))
  const { sendSigned, updates } = await base.connect('github', {
    config: { base_url: receiver.url },
    token: 'token-of-the-bot',
    sync: SYNC,
  })
  await sendSigned(githubIssue('opened'), { 'x-github-event': 'issues' })
  const [{ number } = { number: 0 }] = await base.issues()
  receiver.lines()
  await base.world
    .call(addComment, base.ada, { repo: REPO, number, body: `Use ${token}` })
    .catch(() => null)
  await base.world.call(closeIssue, base.ada, { repo: REPO, number })
  await base.world.jobs()
  expect(receiver.told.map(({ body }) => body).join()).not.toContain(token)
  const messages = (await updates()).map(({ message }) => message).join()
  expect(messages).toContain('answered with status 403: {"message":"bad Bearer [secret]"}')
  expect(messages).not.toContain('token-of-the-bot')
})

test('a redirect is not followed, and private addresses need the setting', async () => {
  const elsewhere = trackerReceiver()
  const { world, ada, number, updates, told } = await makeTold(() => ({
    status: 302,
    headers: { location: elsewhere.url },
  }))
  await world.call(closeIssue, ada, { repo: REPO, number })
  await world.jobs()
  expect(told).toHaveLength(1)
  expect(elsewhere.told).toEqual([])
  expect((await updates())[0]?.state).toBe('waiting')
  expect((await updates())[0]?.message).toContain('status 302')
})

test('nothing is told after it is switched off', async () => {
  const { world, ada, number, told, updates, id } = await makeTold(() => ({ status: 500 }))
  await world.call(closeIssue, ada, { repo: REPO, number })
  await world.jobs()
  expect(told).toHaveLength(1)
  await world.call(updateIntegration, ada, { workspace: 'acme', id, enabled: false })
  world.clock.advance(MINUTE)
  await world.jobs()
  expect(told).toHaveLength(1)
  expect(await updates()).toMatchObject([
    { state: 'cancelled', message: 'the integration is switched off' },
  ])
  await world.call(updateIntegration, ada, { workspace: 'acme', id, enabled: true })
  await world.call(setIncomingHook, ada, {
    workspace: 'acme',
    id,
    repo: REPO,
    sync_status: false,
    sync_comments: false,
  })
  await world.call(reopenIssue, ada, { repo: REPO, number })
  await world.call(addComment, ada, { repo: REPO, number, body: 'Hello?' })
  await world.jobs()
  expect(told).toHaveLength(1)
  expect(await updates()).toHaveLength(1)
})

test('services that cannot be told and those that lack something say so', async () => {
  const { connect } = await makeIncomingWorld()
  const refused = async (provider: string, config: Record<string, unknown> = {}) =>
    (await refusal(connect(provider, { config, sync: { sync_status: true } }))).message
  expect(await refused('alertmanager')).toBe('alertmanager cannot be told anything')
  expect(await refused('sentry')).toBe(
    'Sentry needs the organization in its settings before it is told',
  )
  expect(await refused('github', { base_url: 'http://127.0.0.1:1' })).toBe(
    'GitHub issues needs an access token that may write issues in its settings before it is told',
  )
  expect(await refused('webhook')).toBe(
    'Any service needs an address where changes are sent in its settings before it is told',
  )
})

test('what waits is told by the next process', async () => {
  let status = 500
  const { world, ada, number, told, updates } = await makeTold(() => ({ status }))
  await world.call(closeIssue, ada, { repo: REPO, number })
  await world.jobs()
  // As a process leaves it that is killed while it tells: the job runs, and nobody runs it.
  await world.hearth.writer.write(() =>
    world.hearth.database.run(
      `UPDATE jobs SET state = 'running', run_at = 0 WHERE kind = 'send_tracker_updates'`,
    ),
  )
  status = 200
  world.clock.advance(MINUTE)
  await world.jobs()
  expect(told).toHaveLength(1)
  await world.hearth.jobs.start()
  await world.jobs()
  expect(told).toHaveLength(2)
  expect(await updates()).toMatchObject([{ state: 'sent', attempt: 2 }])
})
