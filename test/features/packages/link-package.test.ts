import { expect, test } from 'bun:test'
import { getPackage } from '#features/packages/get-package.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { setRepoVisibility } from '#features/repos/lifecycle/set-repo-visibility.ts'
import { refusal } from '../../world.ts'
import { makePackageWorld, npm } from './fixture.ts'

test('a link needs admin on both, and a repository of the same workspace', async () => {
  const { world, ada, mel, otto, publish } = await makePackageWorld()
  await world.workspace('other', { owner: ada })
  await world.repo('other/site')
  await publish('lib', '1.0.0', {}, mel)
  await publish('of-otto', '1.0.0', {}, otto)
  const link = (who: typeof ada, name: string, repository: string) =>
    world.call(linkPackage, who, { ...npm(name), repository })
  // mel cannot see the repository, otto is no admin of it.
  expect(await refusal(link(mel, 'lib', 'site'))).toMatchObject({
    status: 422,
    field: 'repository',
  })
  expect(await refusal(link(otto, 'of-otto', 'site'))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  expect(await refusal(link(ada, 'lib', 'other/site'))).toMatchObject({ status: 422 })
  expect((await link(ada, 'lib', 'site')).repository?.full_name).toBe('acme/site')
})

test('a linked package becomes public and private with its repository', async () => {
  const { world, ada, publish } = await makePackageWorld()
  await publish('lib', '1.0.0')
  await world.call(linkPackage, ada, { ...npm('lib'), repository: 'site' })
  const visibility = async () => (await world.call(getPackage, ada, npm('lib'))).visibility
  const set = (isPrivate: boolean) =>
    world.call(setRepoVisibility, ada, {
      repo: 'acme/site',
      private: isPrivate,
      confirm: 'acme/site',
    })
  await set(false)
  expect(await visibility()).toBe('public')
  await set(true)
  expect(await visibility()).toBe('private')
})
