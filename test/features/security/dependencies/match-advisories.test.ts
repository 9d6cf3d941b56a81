import { expect, test } from 'bun:test'
import {
  matchDependencies,
  MAX_FINDINGS,
} from '#features/security/dependencies/match-advisories.ts'
import type { Dependency } from '#features/security/dependencies/schema.ts'
import { importOsv, makeDependencyWorld, osv } from './fixture.ts'

const dependency = (version: string): Dependency => ({
  type: 'npm',
  name: 'left',
  version,
  scope: 'runtime',
  direct: true,
  license: null,
  manifest: 'package-lock.json',
})

test('many versions under many advisories let other work through, and are cut', async () => {
  const { world } = await makeDependencyWorld()
  await importOsv(world, [
    ...Array.from({ length: 100 }, (_, at) => osv(`OSV-${at}`, 'left', '90000.0.0')),
    osv('OSV-worst', 'left', '1.0.1', { database_specific: { severity: 'CRITICAL' } }),
  ])
  const versions = Array.from({ length: 2_000 }, (_, at) => dependency(`${2_000 - at}.0.0`))
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const findings = await matchDependencies(world.hearth.db, '', versions)
  clearImmediate(timer)
  expect(turns).toBeGreaterThan(50)
  expect(findings).toHaveLength(MAX_FINDINGS)
  // The last version is the only one that the worst advisory concerns.
  expect(findings[0]).toMatchObject({ advisory_id: 'OSV-worst', version: '1.0.0' })
})
