import { expect, test } from 'bun:test'
import { listDependencyAlerts } from '#features/security/dependencies/list-dependency-alerts.ts'
import { updateDependencyAlert } from '#features/security/dependencies/update-dependency-alert.ts'
import { importOsv, makeDependencyWorld, osv, packageLock, REPO } from './fixture.ts'

const repo = REPO

test('an alert is dismissed with a reason, stays dismissed and is opened again', async () => {
  const { world, ada, mel, otto, commit } = await makeDependencyWorld()
  await commit({ 'package-lock.json': packageLock({ left: '1.0.0' }) })
  await importOsv(world, [osv('A-1', 'left', '2.0.0')])
  const first = async () => (await world.call(listDependencyAlerts, ada, { repo })).items[0]
  const id = (await first())?.id ?? ''
  await expect(
    world.call(updateDependencyAlert, ada, { repo, id, state: 'dismissed' }),
  ).rejects.toMatchObject({ code: 'invalid', field: 'reason' })
  await expect(
    world.call(updateDependencyAlert, otto, { repo, id, state: 'dismissed', reason: 'wont_fix' }),
  ).rejects.toMatchObject({ code: 'forbidden' })
  const dismissal = {
    repo,
    id,
    state: 'dismissed',
    reason: 'wont_fix',
    note: ' Not used ',
  } as const
  expect(await world.call(updateDependencyAlert, mel, dismissal)).toMatchObject({
    state: 'dismissed',
    dismissed_by: { username: 'mel' },
    dismissed_reason: 'wont_fix',
    dismissed_note: 'Not used',
  })
  await commit({ 'package-lock.json': packageLock({ left: '1.0.1' }) })
  expect(await first()).toMatchObject({ state: 'dismissed', package: { version: '1.0.1' } })
  expect(await world.call(updateDependencyAlert, ada, { repo, id, state: 'open' })).toMatchObject({
    state: 'open',
    dismissed_by: null,
  })
  await commit({ 'package-lock.json': packageLock({ left: '2.0.0' }) })
  await expect(world.call(updateDependencyAlert, ada, dismissal)).rejects.toMatchObject({
    code: 'conflict',
    reason: 'already_closed',
  })
})
