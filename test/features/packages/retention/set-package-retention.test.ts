import { expect, test } from 'bun:test'
import { getPackageRetention } from '#features/packages/retention/get-package-retention.ts'
import { removePackageRetention } from '#features/packages/retention/remove-package-retention.ts'
import { setPackageRetention } from '#features/packages/retention/set-package-retention.ts'
import { setWorkspaceRetention } from '#features/packages/retention/set-workspace-retention.ts'
import { refusal } from '../../../world.ts'
import { makePackageWorld, npm, workspace } from '../fixture.ts'

test('a rule of a package stands before the one of its workspace until it is removed', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await world.call(setWorkspaceRetention, ada, { workspace, keep_newest: 5 })
  expect(await world.call(getPackageRetention, ada, npm('lib'))).toMatchObject({
    rule: null,
    inherited: { keep_newest: 5, older_than_days: 30, untagged_only: false, snapshots_kept: 20 },
  })
  const own = await world.call(setPackageRetention, ada, { ...npm('lib'), keep_matching: ' v* ' })
  expect(own).toMatchObject({ rule: { keep_newest: 10, keep_matching: 'v*' } })
  await world.call(removePackageRetention, ada, npm('lib'))
  expect((await world.call(getPackageRetention, ada, npm('lib'))).rule).toBeNull()
  const actions = world.hearth.db.all<{ data: string }>(
    `SELECT data FROM audit_log WHERE action = 'package.retention_changed'`,
  )
  expect(actions.map(({ data }) => JSON.parse(data))).toMatchObject([
    { before: null, after: { keep_newest: 5 } },
    { before: null, after: { keep_matching: 'v*' } },
    { before: { keep_matching: 'v*' }, after: null },
  ])
})

test('only admins of the package change its rule', async () => {
  const { world, ada, otto, publish } = await makePackageWorld()
  await publish('lib', '1.0.0', {}, otto)
  const set = (who: typeof ada) => world.call(setPackageRetention, who, { ...npm('lib') })
  expect((await set(otto)).rule).not.toBeNull()
  const { mel } = await makePackageWorld()
  expect((await refusal(set(mel))).status).toBe(404)
})
