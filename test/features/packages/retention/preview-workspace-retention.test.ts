import { expect, test } from 'bun:test'
import { previewWorkspaceRetention } from '#features/packages/retention/preview-workspace-retention.ts'
import { setPackageRetention } from '#features/packages/retention/set-package-retention.ts'
import { refusal } from '../../../world.ts'
import { makePackageWorld, npm, workspace } from '../fixture.ts'

test('a preview of a workspace leaves out packages with a rule of their own', async () => {
  const { world, ada, mel, publish } = await makePackageWorld()
  for (const name of ['lib', 'own'])
    for (const version of ['1.0.0', '2.0.0']) await publish(name, version)
  await world.call(setPackageRetention, ada, npm('own'))
  const rule = { workspace, keep_newest: 1, older_than_days: 0 }
  expect(await world.call(previewWorkspaceRetention, ada, rule)).toMatchObject({
    versions: [{ package_name: 'lib', version: '1.0.0', package_type: 'npm' }],
    version_count: 1,
    size_in_bytes: 'lib 1.0.0'.length,
  })
  expect((await refusal(world.call(previewWorkspaceRetention, mel, rule))).status).toBe(403)
})
