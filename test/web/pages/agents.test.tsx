/**
 * The pages of agents, of a workspace's tokens and of the audit log, as browsers without a script
 * use them.
 */
import { expect, test } from 'bun:test'
import { createAgent } from '#features/agents/create-agent.ts'
import { stopAgent } from '#features/agents/stop-agent.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { runForge } from '../../features/oauth/running.ts'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada', { site_admin: true })
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo('acme/site', { as: ada })
  await forge.commit('acme/site', 'main', { 'a.txt': 'a' })
  return {
    forge,
    ada,
    browser: await forge.browser('ada'),
    member: await forge.browser('bob'),
    visitor: await forge.browser(null),
  }
}

const works = async (forge: Awaited<ReturnType<typeof setUp>>['forge'], secret: string) =>
  (await forge.get('/api/user', { authorization: `Bearer ${secret}` })).status

test('a maintainer starts an agent, sees its token once, stops it, and stops all', async () => {
  const { forge, ada, browser, member, visitor } = await setUp()
  expect((await browser.open('/acme/site')).html).toContain('href="/acme/site/agents"')
  expect((await member.open('/acme/site')).html).not.toContain('/acme/site/agents')
  for (const other of [member, visitor])
    expect((await other.open('/acme/site/agents')).status).toBe(404)

  const empty = await browser.open('/acme/site/agents')
  expect(empty.html).toContain('No agent is running')
  const made = await browser.press(empty.html, '/acme/site/agents', {
    name: 'fixer',
    scopes: ['code:write', 'pulls:write'],
  })
  const secret = /id="token-secret"[^>]*>\s*(htha_\w+)/.exec(made.html)?.[1] ?? ''
  expect([made.status, await works(forge, secret)]).toEqual([200, 200])
  const again = await browser.open('/acme/site/agents')
  expect(again.html).not.toContain(secret)
  expect(again.html).toContain('fixer')

  const refused = await browser.press(again.html, '/acme/site/agents', {
    name: 'fixer',
    scopes: ['code:write'],
    max_usd: 'much',
  })
  expect([
    refused.status,
    refused.html.includes('max_usd'),
    refused.html.includes('value="much"'),
  ]).toEqual([422, true, true])
  const taken = await browser.press(again.html, '/acme/site/agents', {
    name: 'fixer',
    scopes: ['code:write'],
  })
  expect([taken.status, taken.html.includes('stop it first')]).toEqual([422, true])

  const stopped = await browser.press(again.html, '/acme/site/agents/stop', {})
  expect([stopped.status, stopped.location, await works(forge, secret)]).toEqual([
    303,
    '/acme/site/agents',
    401,
  ])
  await forge.call(createAgent, ada, { repo: 'acme/site', name: 'one' })
  const page = await browser.open('/acme/site/agents')
  expect(page.html).toContain('1 agent</strong>')
  expect((await browser.press(page.html, '/acme/site/agents/stop-all', {})).status).toBe(303)
  const after = await browser.open('/acme/site/agents')
  expect(after.html).toContain('No agent is running')
  expect(after.html).toContain('stopped on the page of agents')
})

test('members see the agents of the repositories that they maintain, and stop them with one press', async () => {
  const { forge, ada, browser, member, visitor } = await setUp()
  await forge.repo('acme/other', { as: ada, private: true })
  const pull = (await forge.call(createPull, ada, { repo: 'acme/site', title: 'Oven' })).pull.number
  const made = await forge.call(createAgent, ada, { repo: 'acme/site', name: 'one', pull })
  const other = await forge.call(createAgent, ada, { repo: 'acme/other', name: 'two' })
  const bot = forge.hearth.callers.byToken(made.token.secret ?? '')
  if (bot?.kind !== 'agent') throw new Error('the agent has a token')
  await forge.call(appendSession, bot, {
    repo: 'acme/site',
    number: pull,
    entries: [
      { kind: 'tool', tool: 'run', text: 'heat <b>up</b>' },
      { kind: 'usage', text: '', data: { cost_usd: 0.25 } },
    ],
  })
  const page = await browser.open('/acme/-/agents')
  expect(page.html).toContain('2 agents</strong>')
  expect(page.html).toContain('run heat &lt;b&gt;up&lt;/b&gt;')
  expect(page.html).toContain('$0.25')
  const seen = await member.open('/acme/-/agents')
  expect([seen.status, seen.html.includes('No agent is running')]).toEqual([200, true])
  expect((await visitor.open('/acme/-/agents')).status).not.toBe(200)
  await browser.press(page.html, '/acme/-/agents/stop-all', {})
  for (const { token } of [made, other]) expect(await works(forge, token.secret ?? '')).toBe(401)
})

test('an owner creates a workspace token and finds it in the audit log, which can be downloaded', async () => {
  const { forge, browser, member, visitor } = await setUp()
  for (const other of [member, visitor])
    for (const path of ['settings/tokens', 'audit', 'audit/download'])
      expect((await other.open(`/acme/-/${path}`)).status).toBeGreaterThan(299)
  const empty = await browser.open('/acme/-/settings/tokens')
  const made = await browser.press(empty.html, '/acme/-/settings/tokens', {
    name: 'deploy',
    scopes: ['repo:read'],
  })
  const secret = /id="token-secret"[^>]*>\s*(hthw_\w+)/.exec(made.html)?.[1] ?? ''
  expect([made.status, await works(forge, secret)]).toEqual([200, 200])
  const log = await browser.open('/acme/-/audit?actor=ada&action=token.')
  expect(log.html).toContain('token.created')
  expect(log.html).toContain('deploy')
  expect(log.html).not.toContain(secret)
  const file = await browser.open('/acme/-/audit/download?action=token.')
  expect(file.headers.get('content-disposition')).toContain('audit-log.jsonl')
  expect(
    file.html
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { action: string }).action),
  ).toEqual(['token.created'])
  const list = await browser.open('/acme/-/settings/tokens')
  expect((await browser.press(list.html, '/acme/-/settings/tokens/revoke', {})).location).toBe(
    '/acme/-/settings/tokens',
  )
  expect(await works(forge, secret)).toBe(401)
})

test('the log of the site is for its administrators', async () => {
  const { browser, member, visitor } = await setUp()
  expect((await browser.open('/admin/audit')).html).toContain('workspace.created')
  expect((await browser.open('/admin/audit?since=2026-13-99')).status).toBe(422)
  expect(
    (await browser.open('/admin/audit/download')).html.trimEnd().split('\n').length,
  ).toBeGreaterThan(1)
  for (const path of ['/admin/audit', '/admin/audit/download']) {
    expect((await member.open(path)).status).toBe(403)
    expect((await visitor.open(path)).status).toBe(302)
  }
})

test('ended agents are listed page by page however many run', async () => {
  const { forge, ada, browser } = await setUp()
  for (let at = 0; at < 25; at++) {
    const { id } = await forge.call(createAgent, ada, { repo: 'acme/site', name: `old-${at}` })
    await forge.call(stopAgent, ada, { repo: 'acme/site', id })
  }
  for (let at = 0; at < 25; at++)
    await forge.call(createAgent, ada, { repo: 'acme/site', name: `new-${at}` })
  const endedOn = async (page: number): Promise<string[]> => {
    const { html } = await browser.open(`/acme/site/agents?page=${page}`)
    return html.match(/<strong>old-\d+<\/strong>/g) ?? []
  }
  const first = await endedOn(1)
  const second = await endedOn(2)
  expect([first.length, second.length]).toEqual([20, 5])
  expect(new Set([...first, ...second]).size).toBe(25)
})
