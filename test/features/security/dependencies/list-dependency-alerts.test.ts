import { expect, test } from 'bun:test'
import { getDependencyAlert } from '#features/security/dependencies/get-dependency-alert.ts'
import { listDependencyAlerts } from '#features/security/dependencies/list-dependency-alerts.ts'
import { getSecurityOverview } from '#features/security/overview/get-security-overview.ts'
import { importOsv, makeDependencyWorld, osv, packageLock, REPO } from './fixture.ts'

const repo = REPO

async function makeAlertWorld() {
  const fixture = await makeDependencyWorld()
  const { world, ada } = fixture
  return {
    ...fixture,
    alerts: async (filter: { state?: 'open' | 'fixed' | 'dismissed'; packages?: string[] } = {}) =>
      (await world.call(listDependencyAlerts, ada, { repo, ...filter })).items,
    openedEvents: () =>
      world.hearth.db.all<{ data: string }>(
        `SELECT data FROM events WHERE type = 'security.alert_opened' ORDER BY id`,
      ),
  }
}

test('an import opens alerts, and a commit with the mended version closes them', async () => {
  const { world, ada, otto, commit, alerts, openedEvents, ref } = await makeAlertWorld()
  await commit({ 'package-lock.json': packageLock({ left: '1.0.0', right: '1.0.0' }) })
  expect(await alerts()).toEqual([])
  await importOsv(world, [
    osv('GHSA-left', 'left', '1.2.3', { aliases: ['CVE-2026-1'] }),
    osv('GHSA-right', 'right', null, { database_specific: { severity: 'CRITICAL' } }),
    osv('GHSA-other', 'other', null),
  ])
  expect(await alerts()).toMatchObject([
    {
      state: 'open',
      package: { type: 'npm', name: 'right', version: '1.0.0', scope: 'runtime', direct: true },
      advisory: { id: 'GHSA-right', severity: 'critical', summary: 'right is broken' },
      fixed_in: null,
    },
    {
      package: { name: 'left' },
      advisory: { id: 'GHSA-left', aliases: ['CVE-2026-1'] },
      manifest: 'package-lock.json',
      fixed_in: '1.2.3',
    },
  ])
  expect(openedEvents().map(({ data }) => JSON.parse(data))).toMatchObject([
    { kind: 'dependency', severity: 'critical', count: 2 },
  ])
  expect(await alerts({ packages: ['left', 'other'] })).toMatchObject([
    { package: { name: 'left' } },
  ])
  expect(await alerts({ packages: ['other'] })).toEqual([])
  const [, left] = await alerts()
  expect(await world.call(getDependencyAlert, ada, { repo, id: left?.id ?? '' })).toEqual(
    left as never,
  )
  for (const run of [
    () => world.call(listDependencyAlerts, otto, { repo }),
    () => world.call(getDependencyAlert, otto, { repo, id: left?.id ?? '' }),
  ])
    await expect(run()).rejects.toMatchObject({ code: 'forbidden' })

  await commit({ 'package-lock.json': packageLock({ left: '1.2.3', right: '1.0.0' }) })
  expect(await alerts({ state: 'fixed' })).toMatchObject([
    { id: left?.id, fixed_by: ref('main'), fixed_at: expect.any(String) },
  ])
  expect((await world.call(getSecurityOverview, ada, { repo })).findings).toContainEqual(
    expect.objectContaining({ kind: 'dependency', open: 1, critical: 1, closed: 1, is_used: true }),
  )
  // The old version again is the same alert, opened again.
  await commit({ 'package-lock.json': packageLock({ left: '1.0.0', right: '1.0.0' }) })
  expect(await alerts({ state: 'open' })).toHaveLength(2)
  expect((await alerts({ state: 'open' }))[1]).toMatchObject({ id: left?.id, fixed_by: null })
  expect(openedEvents()).toHaveLength(2)
  expect(JSON.parse(openedEvents()[1]?.data ?? '')).toMatchObject({ alert: left?.id, count: 1 })
})

test('two names of one fault are one alert', async () => {
  const { world, commit, alerts } = await makeAlertWorld()
  await commit({ 'package-lock.json': packageLock({ left: '1.0.0' }) })
  await importOsv(world, [
    osv('GHSA-1', 'left', '2.0.0', { aliases: ['CVE-1'] }),
    osv('OTHER-1', 'left', '2.0.0', { aliases: ['CVE-1'], database_specific: {} }),
  ])
  expect(await alerts()).toMatchObject([
    { advisory: { id: 'GHSA-1', aliases: ['CVE-1', 'OTHER-1'] } },
  ])
})

test('an advisory that is withdrawn or changed closes its alerts', async () => {
  const { world, commit, alerts } = await makeAlertWorld()
  await commit({ 'package-lock.json': packageLock({ left: '1.0.0', right: '1.0.0' }) })
  await importOsv(world, [osv('A-1', 'left', null), osv('A-2', 'right', null)])
  expect(await alerts({ state: 'open' })).toHaveLength(2)
  const later = '2026-02-01T00:00:00Z'
  await importOsv(world, [
    osv('A-1', 'left', null, { modified: later, withdrawn: later }),
    osv('A-2', 'right', '0.9.0', { modified: later }),
  ])
  expect(await alerts({ state: 'fixed' })).toMatchObject([{ fixed_by: null }, { fixed_by: null }])
  // An older copy of an advisory does not come back.
  await importOsv(world, [osv('A-1', 'left', null)])
  expect(await alerts({ state: 'open' })).toEqual([])
})

test('a fork and another branch have no alerts', async () => {
  const { world, mel, alerts, push, ref, draft } = await makeAlertWorld()
  await importOsv(world, [osv('A-1', 'left', null)])
  await push(REPO, 'next', ref('main'))
  await world.commit(REPO, 'next', { 'package-lock.json': packageLock({ left: '1.0.0' }) })
  await draft(mel, { 'package-lock.json': packageLock({ left: '1.0.0' }) })
  await world.jobs()
  expect(await alerts()).toEqual([])
})
