import { expect, test } from 'bun:test'
import { getWorkspaceRetention } from '#features/packages/retention/get-workspace-retention.ts'
import { removeWorkspaceRetention } from '#features/packages/retention/remove-workspace-retention.ts'
import { setWorkspaceRetention } from '#features/packages/retention/set-workspace-retention.ts'
import { refusal } from '../../../world.ts'
import { makePackageWorld, workspace } from '../fixture.ts'

test('owners set, read and remove the rule of a workspace', async () => {
  const { world, ada, mel } = await makePackageWorld()
  const set = (who: typeof ada) =>
    world.call(setWorkspaceRetention, who, { workspace, untagged_only: true })
  expect((await refusal(set(mel))).status).toBe(403)
  expect((await set(ada)).rule).toMatchObject({ untagged_only: true, keep_newest: 10 })
  expect((await world.call(getWorkspaceRetention, ada, { workspace })).rule).not.toBeNull()
  await world.call(removeWorkspaceRetention, ada, { workspace })
  expect((await world.call(getWorkspaceRetention, ada, { workspace })).rule).toBeNull()
})
