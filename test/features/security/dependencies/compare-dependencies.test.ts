import { expect, test } from 'bun:test'
import { compareDependencies } from '#features/security/dependencies/compare-dependencies.ts'
import type { Dependency } from '#features/security/dependencies/schema.ts'

const left = (version: string): Dependency => ({
  type: 'npm',
  name: 'left',
  version,
  scope: 'runtime',
  direct: true,
  license: null,
  manifest: 'package-lock.json',
})
const versions = (major: number, count: number): Dependency[] =>
  Array.from({ length: count }, (_, at) => left(`${major}.${at}.0`))

test('only versions that one side has are changes, and not too many of them', () => {
  const shared = versions(1, 20_000)
  expect(compareDependencies(shared, shared)).toEqual([])
  expect(compareDependencies([...shared, left('2.0.0')], [...shared, left('3.0.0')])).toMatchObject(
    [{ name: 'left', before: ['2.0.0'], after: ['3.0.0'] }],
  )
  const [change] = compareDependencies(versions(1, 20_000), versions(2, 20_000))
  expect([change?.before.length, change?.after.length]).toEqual([100, 100])
})
