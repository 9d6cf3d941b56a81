import { expect, test } from 'bun:test'
import { getLockFiles } from '#features/security/dependencies/get-lock-files.ts'
import { makeDependencyWorld, packageLock, REPO } from './fixture.ts'

test('a commit with too many lock files has the deepest left out', async () => {
  const { world, ada, commit } = await makeDependencyWorld()
  const files = Object.fromEntries(
    Array.from({ length: 301 }, (_, at) => [`deep/${at}/go.mod`, `go 1.${at}\n`]),
  )
  await commit({ ...files, 'package-lock.json': packageLock({ a: '1.0.0' }) })
  const found = (await world.call(getLockFiles, ada, { repo: REPO })).files
  expect(found).toHaveLength(300)
  expect(found[0]?.path).toBe('package-lock.json')
})
