import { expect, test } from 'bun:test'
import { createWorkspaceToken } from '#features/workspaces/create-workspace-token.ts'
import { createSettingsToken } from '#features/accounts/tokens/create-settings-token.ts'
import { listAuditLog } from '#features/audit/list-audit-log.ts'
import { listSiteAuditLog } from '#features/audit/list-site-audit-log.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { setBasePermission } from '#features/workspaces/set-base-permission.ts'
import { findBrokenLink } from '#core/audit.ts'
import { timestamp } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makePullWorld, REPO } from '../pulls/fixture.ts'
import { runForge } from '../oauth/running.ts'

type Entry = {
  id: string
  action: string
  actor: { username: string } | null
  ip: string | null
  request_id: string | null
  user_agent: string | null
  prev: string
}

test('owners see changes with actor and origin, newest first; others do not', async () => {
  const { world, ada, mel, otto, workspace } = await makePullWorld()
  const origin = { request_id: 'req-12345678', ip: '203.0.113.7', user_agent: 'curl/8' }
  await world.call(
    setBasePermission,
    ada,
    { workspace: 'acme', base_permission: 'read' },
    { origin },
  )
  const { items } = await world.call(listAuditLog, ada, {
    workspace: 'acme',
    action: 'workspace.base_permission_changed',
  })
  expect(items).toMatchObject([
    {
      time: timestamp(world.clock.now()),
      actor: { username: 'ada' },
      on_behalf_of: null,
      token_id: null,
      ...origin,
      action: 'workspace.base_permission_changed',
      target: { kind: 'workspace', id: workspace.id, name: 'acme' },
      workspace: 'acme',
      repository: null,
      data: { before: { base_permission: 'write' }, after: { base_permission: 'read' } },
    },
  ])
  expect(await refusal(world.call(listAuditLog, mel, { workspace: 'acme' }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(await refusal(world.call(listAuditLog, otto, { workspace: 'acme' }))).toMatchObject({
    status: 404,
  })
  expect(await refusal(world.call(listSiteAuditLog, ada, {}))).toMatchObject({ status: 403 })
  const root = await world.user('root', { site_admin: true })
  const site = await world.call(listSiteAuditLog, root, { per_page: 100 })
  expect(site.items.length).toBe(
    world.hearth.db.one<{ n: number }>('SELECT count(*) AS n FROM audit_log')?.n ?? 0,
  )
  expect(findBrokenLink(world.hearth.db)).toBeNull()
})

test('filters apply before paging', async () => {
  const { world, ada } = await makePullWorld()
  const ask = (input: Record<string, unknown>) =>
    world.call(listAuditLog, ada, { workspace: 'acme', ...input } as never)
  for (const days of [1, 2, 3])
    await world.call(createWorkspaceToken, ada, {
      workspace: 'acme',
      name: `t${days}`,
      scopes: ['repo:read'],
      expires_in_days: days,
    })
  await world.call(updateRepoSettings, ada, { repo: REPO, max_revisions: 5 })
  const first = await ask({ action: 'token.', per_page: 2 })
  expect(first.items.map(({ target }) => target.name)).toEqual(['t3', 't2'])
  const rest = await ask({ action: 'token.', per_page: 2, before: first.next })
  expect([rest.items.map(({ target }) => target.name), rest.next]).toEqual([['t1'], null])
  expect((await ask({ action: 'token.created' })).items).toHaveLength(3)
  expect((await ask({ action: 'token' })).items).toEqual([])
  expect((await ask({ repo: REPO, action: 'repo.settings_changed' })).items).toMatchObject([
    { repository: REPO },
  ])
  expect((await ask({ repo: 'site' })).items.every(({ repository }) => repository === REPO)).toBe(
    true,
  )
  expect(await refusal(ask({ repo: 'acme/nothing' }))).toMatchObject({ status: 422, field: 'repo' })
  await world.workspace('elsewhere', { owner: ada })
  await world.repo('elsewhere/site', { as: ada })
  expect(await refusal(ask({ repo: 'elsewhere/site' }))).toMatchObject({
    status: 422,
    field: 'repo',
  })
  expect((await ask({ actor: 'mel' })).items).toEqual([])
  expect((await ask({ actor: 'nobody-at-all' })).items).toEqual([])
  expect((await ask({ actor: 'ADA' })).items.length).toBeGreaterThan(4)
  world.clock.advance(60_000)
  const since = timestamp(world.clock.now())
  await world.call(setBasePermission, ada, { workspace: 'acme', base_permission: 'none' })
  expect((await ask({ since })).items.map(({ action }) => action)).toEqual([
    'workspace.base_permission_changed',
  ])
  expect(await refusal(ask({ since: 'yesterday' }))).toMatchObject({ status: 422, field: 'since' })
})

test('the whole of it can be downloaded, a line for each entry', async () => {
  const forge = await runForge({ trusted_proxies: ['127.0.0.1'] })
  const ada = await forge.user('ada', { site_admin: true })
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  const secretOf = async (person: typeof ada) =>
    (await forge.call(createSettingsToken, person, { name: 'cli' })).secret ?? ''
  const [adas, bobs] = [await secretOf(ada), await secretOf(bob)]
  const as = (secret: string, more: Record<string, string> = {}) => ({
    authorization: `Bearer ${secret}`,
    ...more,
  })
  const put = (name: string) =>
    forge.post(
      '/api/workspaces/acme/tokens',
      { name, scopes: ['repo:read'] },
      as(adas, {
        'x-forwarded-for': '198.51.100.9, 192.0.2.44',
        'x-request-id': `request-${name}`,
        'user-agent': 'robot/1',
      }),
    )
  for (const name of ['one', 'two', 'three']) expect((await put(name)).status).toBe(201)

  const page = (await (
    await forge.get('/api/workspaces/acme/audit-log?action=token.created', as(adas))
  ).json()) as Entry[]
  expect(page.map(({ ip, request_id, user_agent }) => [ip, request_id, user_agent])).toEqual([
    ['192.0.2.44', 'request-three', 'robot/1'],
    ['192.0.2.44', 'request-two', 'robot/1'],
    ['192.0.2.44', 'request-one', 'robot/1'],
  ])

  const answer = await forge.get(
    '/api/workspaces/acme/audit-log?format=jsonl&action=token.created',
    as(adas),
  )
  expect([
    answer.status,
    answer.headers.get('content-type'),
    answer.headers.get('content-disposition'),
  ]).toEqual([200, 'application/x-ndjson; charset=utf-8', 'attachment; filename="audit-log.jsonl"'])
  const accepted = await forge.get(
    '/api/workspaces/acme/audit-log?action=token.created',
    as(adas, { accept: 'application/x-ndjson' }),
  )
  const text = await answer.text()
  expect([accepted.headers.get('content-type'), await accepted.text()]).toEqual([
    'application/x-ndjson; charset=utf-8',
    text,
  ])
  expect(text.endsWith('\n')).toBe(true)
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry),
  ).toEqual(page)

  const site = (await (await forge.get('/api/admin/audit-log?format=jsonl', as(adas))).text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry)
  expect(site.length).toBe(
    forge.hearth.db.one<{ n: number }>('SELECT count(*) AS n FROM audit_log')?.n ?? 0,
  )
  expect(new Set(site.map(({ id }) => id)).size).toBe(site.length)
  expect((await forge.get('/api/workspaces/acme/audit-log?format=jsonl', as(bobs))).status).toBe(
    403,
  )
  expect((await forge.get('/api/admin/audit-log?format=jsonl', as(bobs))).status).toBe(403)
  expect((await forge.get('/api/workspaces/acme/audit-log?format=jsonl')).status).toBe(401)
  expect((await forge.get('/api/workspaces/acme/audit-log?format=xml', as(adas))).status).toBe(422)
})

test('client addresses are read from trusted proxies only, and omitted where the settings say so', async () => {
  for (const [settings, expected] of [
    [{}, '127.0.0.1'],
    [{ audit: { ip: false, keep_days: 400 } }, null],
  ] as const) {
    const forge = await runForge(settings)
    const ada = await forge.user('ada')
    await forge.workspace('acme', { owner: ada })
    const secret = (await forge.call(createSettingsToken, ada, { name: 'cli' })).secret ?? ''
    await forge.post(
      '/api/workspaces/acme/tokens',
      { name: 'x', scopes: ['repo:read'] },
      { authorization: `Bearer ${secret}`, 'x-forwarded-for': '192.0.2.44' },
    )
    const { items } = await forge.call(listAuditLog, ada, {
      workspace: 'acme',
      action: 'token.created',
    })
    expect(items[0]?.ip ?? null).toBe(expected)
  }
})
