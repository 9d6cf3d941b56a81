import { expect, test } from 'bun:test'
import { openHearth } from '#src/app.ts'
import { anonymous } from '#core/caller.ts'
import { register } from '#features/workspaces/index.ts'
import { updateSiteSettings } from '#features/site/update-site-settings.ts'
import { silentLog } from '#lib/log.ts'
import { testSettings } from '../../settings.ts'
import { makeWorld, refusal } from '../../world.ts'

const world = await makeWorld()
const root = await world.user('root', { site_admin: true })

test('a change applies immediately, survives a restart, is audited, and null resets it', async () => {
  const before = await refusal(
    world.call(register, anonymous, {
      username: 'eve',
      email: 'eve@example.com',
      password: 'a long enough word 1',
    }),
  )
  expect(before).toMatchObject({ field: 'invite' })
  const { settings, all } = await world.call(updateSiteSettings, root, {
    settings: { 'accounts.sign_up': 'closed', 'archives.max_bytes': 'none', 'backups.every': '6h' },
  })
  expect(settings).toMatchObject({
    'accounts.sign_up': 'closed',
    'archives.max_bytes': 'none',
    'backups.every': '6h',
  })
  expect(all.find(({ name }) => name === 'accounts.sign_up')).toMatchObject({
    value: 'closed',
    source: 'site',
    changeable: true,
  })
  expect(world.hearth.settings).toMatchObject({
    sign_up: 'closed',
    archives: { max_bytes: null, max_files: 10_000 },
    backups: { every_ms: 6 * 3_600_000 },
  })
  expect(
    await refusal(
      world.call(register, anonymous, {
        username: 'eve',
        email: 'eve@example.com',
        password: 'a long enough word 1',
      }),
    ),
  ).toMatchObject({ code: 'not_available' })
  expect(
    world.hearth.db.one<{ data: string }>(
      `SELECT data FROM audit_log WHERE action = 'site.settings_changed'`,
    )?.data,
  ).toContain('"before":{"accounts.sign_up":"invite"')

  // Another process on the same data directory has the change too.
  const beside = openHearth({
    settings: testSettings(world.data),
    log: silentLog,
    databasePath: `${world.data}/hearth.db`,
    beside: true,
  })
  expect(beside.settings.sign_up).toBe('closed')
  await beside.close()

  await world.call(updateSiteSettings, root, { settings: { 'accounts.sign_up': null } })
  expect(world.hearth.settings.sign_up).toBe('invite')
  expect(world.hearth.settings.archives.max_bytes).toBeNull()
})

test('unknown settings and invalid values are refused by name', async () => {
  const state = JSON.stringify(world.hearth.settings)
  for (const [settings, field] of [
    [{ 'mail.url': 'smtp://x' }, 'settings.mail.url'],
    [{ 'accounts.sign_up': 'maybe' }, 'settings.accounts.sign_up'],
    [{ constructor: 1 }, 'settings.constructor'],
    [{ 'audit.keep_days': 29 }, 'settings.audit.keep_days'],
    [{ 'limits.rate': true, 'workspaces.per_person': 1.5 }, 'settings.workspaces.per_person'],
    [{}, 'settings'],
  ] as const) {
    expect(await refusal(world.call(updateSiteSettings, root, { settings }))).toMatchObject({
      code: 'invalid',
      field,
    })
  }
  expect(JSON.stringify(world.hearth.settings)).toBe(state)
})
