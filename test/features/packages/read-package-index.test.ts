import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { readPackageIndex } from '#features/packages/read-package-index.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('the index holds the packages of one type that the caller sees', async () => {
  const { world, ada, mel, publish } = await makePackageWorld()
  const index = { workspace: 'acme', package_type: 'npm' as const }
  expect(await world.call(readPackageIndex, anonymous, index)).toEqual([])
  await publish('lib', '1.0.0')
  await publish('site', '1.0.0')
  const names = async (caller: typeof ada | typeof anonymous) =>
    (await world.call(readPackageIndex, caller, index)).map(({ name }) => name).sort()
  expect(await names(ada)).toEqual(['lib', 'site'])
  expect(await names(mel)).toEqual([])
  // A stranger is asked for a token where all is private, and sees what is public else.
  expect((await refusal(world.call(readPackageIndex, anonymous, index))).status).toBe(401)
  await world.call(updatePackage, ada, { ...npm('site'), visibility: 'public' })
  expect(await names(anonymous)).toEqual(['site'])
  const gems = { workspace: 'acme', package_type: 'rubygems' as const }
  expect(await world.call(readPackageIndex, ada, gems)).toEqual([])
})
