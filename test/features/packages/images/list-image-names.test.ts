import { expect, test } from 'bun:test'
import { anonymous, type Caller } from '#core/caller.ts'
import { linkPackage } from '#features/packages/link-package.ts'
import { listImageNames } from '#features/packages/images/list-image-names.ts'
import { updatePackage } from '#features/packages/update-package.ts'
import { makeImageWorld } from '../image-fixture.ts'

test('images come by code point, a page at a time, and only those that the caller sees', async () => {
  const { world, ada, mel, otto, rita, zoe, push, publish } = await makeImageWorld()
  await world.workspace('acme-b', { owner: ada })
  await push('one', ['v1'])
  for (const [workspace, package_name] of [
    ['acme', 'tools/cli'],
    ['acme', 'public'],
    ['acme', 'linked'],
    ['acme-b', 'web'],
  ] as const)
    await push('one', ['v1'], ada, { workspace, package_name })
  await publish('not-an-image', '1.0.0')
  const at = (package_name: string) => ({
    ...{ workspace: 'acme', package_type: 'container' as const, package_name },
  })
  await world.call(updatePackage, ada, { ...at('public'), visibility: 'public' })
  await world.call(linkPackage, ada, { ...at('linked'), repository: 'site' })
  const all = async (who: Caller, n: number): Promise<string[][]> => {
    const pages: string[][] = []
    let last: string | null = ''
    while (last !== null && pages.length < 20) {
      const page: { names: string[]; next: string | null } = await world.call(listImageNames, who, {
        last,
        n,
      })
      pages.push(page.names)
      last = page.next
    }
    return pages
  }
  // A hyphen comes before a slash.
  const names = ['acme-b/web', 'acme/app', 'acme/linked', 'acme/public', 'acme/tools/cli']
  expect(await all(ada, 100)).toEqual([names])
  expect(await all(ada, 2)).toEqual([names.slice(0, 2), names.slice(2, 4), names.slice(4)])
  for (const reader of [otto, rita])
    expect(await all(reader, 100)).toEqual([['acme/linked', 'acme/public']])
  for (const other of [mel, zoe, anonymous])
    expect(await all(other, 100)).toEqual([['acme/public']])
})
