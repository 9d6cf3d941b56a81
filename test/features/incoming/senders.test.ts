import { expect, test } from 'bun:test'
import { closeIssue } from '#features/issues/close-issue.ts'
import { updateIssue } from '#features/issues/update-issue.ts'
import { makeIncomingWorld, SECRET, sign } from './fixture.ts'
import {
  alert,
  alerts,
  giteaIssue,
  githubIssue,
  gitlabIssue,
  glitchtip,
  jiraIssue,
  linearIssue,
  sentryAlert,
  sentryIssue,
  sentryTrace,
} from './payloads.ts'
import { trackerReceiver } from './updates/tracker-receiver.ts'

type Send = Awaited<ReturnType<Awaited<ReturnType<typeof makeIncomingWorld>>['connect']>>['send']

/** Sends a body with the signature of the service in a header. */
const signed =
  (send: Send, header: string, prefix = '') =>
  (body: object, headers: Record<string, string> = {}) => {
    const text = JSON.stringify(body)
    return send(text, { [header]: prefix + sign(text), ...headers })
  }

test('a ticket of GitHub opens, follows and closes its issue', async () => {
  const { connect, issues, issue, world, ada } = await makeIncomingWorld()
  const { send } = await connect('github', {
    labels: ['upstream'],
    config: { base_url: 'https://api.github.com' },
  })
  const post = signed(send, 'x-hub-signature-256', 'sha256=')
  const headers = (id: string) => ({ 'x-github-event': 'issues', 'x-github-delivery': id })
  expect((await post(githubIssue('opened'), headers('1'))).status).toBe(202)
  const [made] = await issues()
  expect(made).toMatchObject({
    title: 'Spelling error in the README file',
    labels: ['upstream'],
    author: { kind: 'agent', username: 'ada/github', on_behalf_of: { username: 'ada' } },
  })
  expect(made?.body).toContain('<https://github.com/octo-org/octo-repo/issues/12>')
  expect(made?.body).toContain('```text\nIt says "teh". @ada')
  const number = made?.number ?? 0
  await post(githubIssue('edited', { title: 'Typo', updated_at: 'later' }), headers('2'))
  expect((await issue(number)).issue.title).toBe('Typo')
  await post(githubIssue('closed', { state: 'closed' }), headers('3'))
  expect(await issues('closed')).toMatchObject([{ number, reason: 'completed' }])
  await post(githubIssue('reopened', { updated_at: 'after' }), headers('4'))
  expect(await issues()).toMatchObject([{ number }])

  // What people here wrote stays.
  await world.call(updateIssue, ada, { repo: 'acme/site', number, title: 'Ours' })
  await post(githubIssue('edited', { title: 'Theirs', updated_at: 'last' }), headers('5'))
  expect((await issue(number)).issue.title).toBe('Ours')
})

test('tickets of Gitea, GitLab, Jira and Linear open and close', async () => {
  const { connect, issues } = await makeIncomingWorld()
  const gitea = await connect('gitea', { config: { base_url: 'http://127.0.0.1:1' } })
  const postGitea = signed(gitea.send, 'x-gitea-signature')
  await postGitea(giteaIssue('opened'), { 'x-gitea-event': 'issues' })
  expect((await issues()).map(({ title }) => title)).toEqual(['Crash at start'])
  await postGitea(giteaIssue('closed', 'closed'), { 'x-gitea-event': 'issues' })
  expect(await issues()).toEqual([])

  const jira = await connect('jira', { config: { base_url: 'http://127.0.0.1:1' } })
  const postJira = signed(jira.send, 'x-hub-signature', 'sha256=')
  await postJira(jiraIssue('jira:issue_created', 'new'))
  const [ticket] = await issues()
  expect(ticket?.title).toBe('JRA-20002 I feel the need for speed')
  expect(ticket?.body).toContain('<https://jira.example.com/browse/JRA-20002>')
  await postJira(jiraIssue('jira:issue_updated', 'done'))
  expect(await issues()).toEqual([])

  const linear = await connect('linear', { config: { base_url: 'http://127.0.0.1:1' } })
  const postLinear = signed(linear.send, 'linear-signature')
  await postLinear(linearIssue('create', 'started'), { 'linear-delivery': 'a' })
  expect((await issues()).map(({ title }) => title)).toEqual(['LIN-1778 Foo bar'])
  await postLinear(linearIssue('update', 'completed'), { 'linear-delivery': 'b' })
  expect(await issues()).toEqual([])

  const gitlab = await connect('gitlab', { config: { base_url: 'http://127.0.0.1:1' } })
  const token = { 'x-gitlab-token': SECRET }
  await gitlab.send(gitlabIssue('open', 'opened'), token)
  expect((await issues()).map(({ title }) => title)).toEqual(['New API: create/update/delete file'])
  await gitlab.send(gitlabIssue('close', 'closed'), token)
  expect(await issues()).toEqual([])
})

test('an error of Sentry is one issue, which closes when it is resolved there', async () => {
  const { connect, issues } = await makeIncomingWorld()
  const { send, deliveries } = await connect('sentry')
  const post = signed(send, 'sentry-hook-signature')
  const of = (resource: string) => ({ 'sentry-hook-resource': resource })
  await post(sentryIssue('created'), of('issue'))
  await post(sentryAlert, of('event_alert'))
  const [made, ...others] = await issues()
  expect(others).toEqual([])
  expect(made?.title).toBe('Error #2: This is a test error!')
  expect(made?.body).toContain('Project: my-app')
  await post(sentryIssue('resolved', { status: 'resolved' }), of('issue'))
  expect(await issues()).toEqual([])
  await post(sentryIssue('unresolved', { lastSeen: '2026-02-05T00:00:00Z' }), of('issue'))
  expect(await issues()).toMatchObject([{ number: made?.number }])
  await post({ action: 'created', data: { installation: {} } }, of('installation'))
  expect((await deliveries())[0]).toMatchObject({ state: 'ignored', issues: [] })
})

test('GlitchTip opens an issue for each error once', async () => {
  const { connect, issues } = await makeIncomingWorld()
  const { send } = await connect('glitchtip')
  await send(glitchtip)
  await send(glitchtip)
  expect((await issues()).map(({ title }) => title)).toEqual([
    'OperationalError: server closed the connection',
  ])
})

test('alerts of Alertmanager are one issue for each fingerprint', async () => {
  const { connect, issues, issue } = await makeIncomingWorld()
  const { send } = await connect('alertmanager')
  const { fingerprint: _, ...old } = alert('firing', { labels: { alertname: 'Old', job: 'x' } })
  await send(alerts(alert('firing'), old))
  const open = await issues()
  expect(open.map(({ title }) => title)).toEqual([
    'Old: Requests are slow',
    'HighLatency: Requests are slow',
  ])
  const number = open[1]?.number ?? 0
  expect((await issue(number)).issue.body).toContain('instance: web-1:9090')
  await send(alerts(alert('resolved', { endsAt: '2026-02-28T11:00:00Z' }), old))
  expect((await issues()).map(({ title }) => title)).toEqual(['Old: Requests are slow'])
  await send(alerts(alert('firing', { startsAt: '2026-02-28T12:00:00Z' })))
  expect((await issues()).map((one) => one.number)).toContain(number)
})

test('Grafana may sign, and must once a secret is stored', async () => {
  const { connect, issues } = await makeIncomingWorld()
  const unsigned = await connect('grafana', { secret: '' })
  expect((await unsigned.send(alerts(alert('firing')))).status).toBe(202)
  const { send } = await connect('grafana')
  expect((await send(alerts(alert('firing')))).status).toBe(401)
  const post = signed(send, 'x-grafana-alerting-signature')
  const panel = { dashboardURL: 'https://grafana.example.com/d/abc', panelURL: '' }
  expect((await post(alerts(alert('firing', panel)))).status).toBe(202)
  const [made] = await issues()
  expect(made?.body).toContain('<https://grafana.example.com/d/abc>')
})

test('any program can send JSON whose values are where the settings say', async () => {
  const { connect, issues } = await makeIncomingWorld()
  const { send } = await connect('webhook', {
    secret: '',
    config: {
      id_pointer: '/check/uuid',
      title_pointer: '/check/names/0',
      state_pointer: '/check/status',
      closed_values: 'up',
    },
  })
  const check = (status: string) => ({ check: { uuid: 'u1', names: ['Shop is down'], status } })
  await send(check('down'))
  expect((await issues()).map(({ title }) => title)).toEqual(['Shop is down'])
  await send(check('up'))
  expect(await issues()).toEqual([])
  await send(check('down'))
  expect((await issues()).length).toBe(1)
})

test('texts with half a surrogate pair are taken from every tracker', async () => {
  const { connect, issues } = await makeIncomingWorld()
  const jira = await connect('jira', { config: { base_url: 'https://jira.example.com' } })
  const body = jiraIssue('jira:issue_created', 'new')
  const issue = { ...body.issue, key: 'X-\ud800' }
  const post = signed(jira.send, 'x-hub-signature', 'sha256=')
  expect((await post({ ...body, issue })).status).toBe(202)
  expect((await issues()).map(({ title }) => title)).toEqual(['X-\ufffd I feel the need for speed'])
})

test('an error links to the files of its stack trace, at the commit of its release', async () => {
  const { connect, issues, issue, world, ada } = await makeIncomingWorld()
  const { send } = await connect('sentry')
  const post = signed(send, 'sentry-hook-signature')
  const of = (resource: string) => ({ 'sentry-hook-resource': resource })
  const released = await world.commit('acme/site', 'main', {
    'app/src/cart.js': 'x',
    'app/src/main.js': 'x',
    'index.js': 'x',
  })
  await world.commit('acme/site', 'main', { 'app/src/cart.js': null, 'app/src/late.js': 'x' })
  // The first event says nothing of where it happened.
  await post(sentryIssue('created'), of('issue'))
  const [made] = await issues()
  expect(made?.body).not.toContain('/blob/')
  const { event } = sentryAlert.data
  const alerted = (more: object) => ({
    ...sentryAlert,
    data: { ...sentryAlert.data, event: { ...event, exception: sentryTrace, ...more } },
  })
  await post(alerted({ release: `site@1.0+${released}` }), of('event_alert'))
  const number = made?.number ?? 0
  const home = `${world.hearth.settings.site_url}/acme/site`
  const { body, title } = (await issue(number)).issue
  expect(title).toBe('Error #2: This is a test error!')
  expect(body).toContain(
    [
      `- [\`app/src/cart.js:12\`](<${home}/blob/${released}/app/src/cart.js?from=12#L12>) in \`total\``,
      `- [\`app/src/main.js:3\`](<${home}/blob/${released}/app/src/main.js?from=3#L3>) in \`fixes #1 @bob 'x'\``,
    ].join('\n'),
  )
  // A file of a library is none of the repository, whatever it is called.
  expect(body).not.toContain('/index.js')
  expect(world.events('mention').length).toBe(0)
  // It is written once, and never over what a person wrote.
  await post(alerted({ event_id: 'another' }), of('event_alert'))
  expect((await issue(number)).issue.body).toBe(body)

  await post(alerted({ issue_id: '77', release: 'site@unknown' }), of('event_alert'))
  const other = (await issues()).find((one) => one.number !== number)
  expect(other?.body).toContain('/app/src/main.js?from=3#L3>')
  expect(other?.body).not.toContain('cart.js#')
  expect(other?.body).toContain(
    'Stack trace, the newest call first:\n  ./node_modules/lib/index.js:1',
  )
  await world.call(updateIssue, ada, { repo: 'acme/site', number, body: 'Ours' })
  await post(alerted({ event_id: 'later' }), of('event_alert'))
  expect((await issue(number)).issue.body).toBe('Ours')
})

test('an event without a stack trace has it asked for, with the token of the integration', async () => {
  const { connect, issues, issue, world, ada } = await makeIncomingWorld()
  await world.commit('acme/site', 'main', { 'src/cart.js': 'x' })
  const service = trackerReceiver(({ path }) =>
    path.startsWith('/api/0/issues/44/')
      ? { json: { entries: [{ type: 'exception', data: sentryTrace }] } }
      : { status: 404 },
  )
  const without = await connect('glitchtip', { config: { base_url: service.url } })
  await without.send(glitchtip)
  await world.jobs()
  expect(service.told).toEqual([])
  const [first] = await issues()
  await world.call(closeIssue, ada, { repo: 'acme/site', number: first?.number ?? 0 })

  const { send } = await connect('glitchtip', {
    config: { base_url: service.url },
    token: 'read-token',
  })
  service.told.splice(0)
  await send(glitchtip)
  await world.jobs()
  expect(service.lines()).toEqual(['GET /api/0/issues/44/events/latest/'])
  const [made] = await issues()
  expect(made?.body).toContain('/src/cart.js?from=12#L12>) in `total`')
  // Once is enough, and an answer that is of no use leaves the issue as it is.
  const other = {
    ...glitchtip.attachments[0],
    title_link: 'https://glitchtip.example.com/acme/issues/9',
  }
  await send({ ...glitchtip, attachments: [...glitchtip.attachments, other] })
  await world.jobs()
  expect(service.lines()).toEqual(['GET /api/0/issues/9/events/latest/'])
  const last = (await issues())[0]
  expect((await issue(last?.number ?? 0)).issue.body).not.toContain('/blob/')
})
