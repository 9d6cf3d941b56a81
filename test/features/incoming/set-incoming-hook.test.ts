import { expect, test } from 'bun:test'
import { getIncomingHook } from '#features/incoming/get-incoming-hook.ts'
import { setIncomingHook } from '#features/incoming/set-incoming-hook.ts'
import { refusal } from '../../world.ts'
import { makeIncomingWorld, REPO, SECRET } from './fixture.ts'
import { alert, alerts } from './payloads.ts'

test('gives an address, which renewing ends, and never stores the secret in the open', async () => {
  const { connect, world, ada, base } = await makeIncomingWorld()
  const { hook, id, send } = await connect('grafana')
  expect(hook).toMatchObject({
    integration: id,
    repo: REPO,
    has_secret: true,
    signature: { header: 'x-grafana-alerting-signature', required: false },
    open_issues: 0,
  })
  const key = new URL(hook.url).pathname.split('/').at(-1) ?? ''
  expect(key.length).toBe(43)
  const { db } = world.hearth
  for (const { name } of db.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table'`,
  )) {
    const text = JSON.stringify(db.all(`SELECT * FROM "${name}"`))
    expect([name, text.includes(SECRET), text.includes(key)]).toEqual([name, false, false])
  }
  const target = { workspace: 'acme', id, repo: REPO }
  expect((await world.call(setIncomingHook, ada, target)).url).toBe(hook.url)
  const renewed = await world.call(setIncomingHook, ada, { ...target, renew: true, secret: '' })
  expect(renewed.url).not.toBe(hook.url)
  expect((await send(alerts(alert('firing')))).status).toBe(404)
  const body = JSON.stringify(alerts(alert('firing')))
  const path = new URL(renewed.url).pathname
  expect((await fetch(new URL(path, base), { method: 'POST', body })).status).toBe(202)
  expect((await world.call(getIncomingHook, ada, { workspace: 'acme', id })).open_issues).toBe(1)
})

test('is for Owners, their repositories, and services that send', async () => {
  const { connect, world, ada, bob } = await makeIncomingWorld()
  const { id } = await connect('alertmanager')
  const target = { workspace: 'acme', id, repo: REPO }
  expect((await refusal(world.call(setIncomingHook, bob, target))).status).toBe(403)
  await world.workspace('other', { owner: ada })
  await world.repo('other/site', { as: ada })
  const foreign = await refusal(world.call(setIncomingHook, ada, { ...target, repo: 'other/site' }))
  expect(foreign.field).toBe('repo')
  expect((await refusal(connect('sentry', { secret: '' }))).field).toBe('secret')
  const silent = connect('youtrack', { config: { base_url: 'http://127.0.0.1:1' } })
  expect((await refusal(silent)).reason).toBe('not_available')
})
