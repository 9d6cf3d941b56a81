import { expect, test } from 'bun:test'
import { getWorkspaceRetention } from '#features/packages/retention/get-workspace-retention.ts'
import { refusal } from '../../../world.ts'
import { makePackageWorld, workspace } from '../fixture.ts'

test('only owners of the workspace may', async () => {
  const { world, ada, mel, zoe } = await makePackageWorld()
  const ask = (who: typeof ada) => world.call(getWorkspaceRetention, who, { workspace })
  expect((await refusal(ask(mel))).status).toBe(403)
  expect((await refusal(ask(zoe))).status).toBe(404)
  expect(await ask(ada)).toEqual({ rule: null, inherited: null })
})
