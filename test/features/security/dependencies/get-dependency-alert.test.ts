import { expect, test } from 'bun:test'
import { getDependencyAlert } from '#features/security/dependencies/get-dependency-alert.ts'
import { listDependencyAlerts } from '#features/security/dependencies/list-dependency-alerts.ts'
import { importOsv, makeDependencyWorld, osv, packageLock, REPO } from './fixture.ts'

test('an alert is found in its own repository only', async () => {
  const { world, ada, commit } = await makeDependencyWorld()
  await commit({ 'package-lock.json': packageLock({ left: '1.0.0' }) })
  await importOsv(world, [osv('A-1', 'left', null)])
  const [alert] = (await world.call(listDependencyAlerts, ada, { repo: REPO })).items
  await world.repo('acme/other')
  await expect(
    world.call(getDependencyAlert, ada, { repo: 'acme/other', id: alert?.id ?? '' }),
  ).rejects.toMatchObject({ code: 'not_found' })
})
