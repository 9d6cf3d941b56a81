import { expect, test } from 'bun:test'
import { updateCodeScanningAlert } from '#features/security/code-scanning/update-code-scanning-alert.ts'
import { refusal } from '../../../world.ts'
import { makeScanWorld, REPO } from './fixture.ts'

test('a dismissed alert stays dismissed over uploads, until it is reopened', async () => {
  const { world, ada, scan, alerts, alert } = await makeScanWorld()
  await scan([{ path: 'a.txt', line: 2 }])
  const [{ id } = { id: '' }] = await alerts()
  const update = (input: object) =>
    world.call(updateCodeScanningAlert, ada, { repo: REPO, id, state: 'dismissed', ...input })
  expect(await refusal(update({}))).toMatchObject({ status: 422, field: 'reason' })
  expect(await update({ reason: 'wont_fix', note: ' Old code ' })).toMatchObject({
    state: 'dismissed',
    dismissed_by: { username: 'ada' },
    dismissed_reason: 'wont_fix',
    dismissed_note: 'Old code',
  })
  await scan([{ path: 'a.txt', line: 2 }])
  expect(await alerts({ state: 'open' })).toEqual([])
  await scan([])
  expect((await alert(id)).state).toBe('dismissed')
  // It was fixed meanwhile, which shows once it is not dismissed.
  expect(await update({ state: 'open' })).toMatchObject({ state: 'fixed', dismissed_by: null })
  expect(await refusal(update({ reason: 'wont_fix' }))).toMatchObject({
    status: 409,
    reason: 'already_closed',
  })
  expect(
    world.hearth.db
      .all<{ action: string }>(
        `SELECT action FROM audit_log WHERE action LIKE 'security.alert_%' ORDER BY id`,
      )
      .map(({ action }) => action),
  ).toEqual(['security.alert_dismissed', 'security.alert_reopened'])
})
