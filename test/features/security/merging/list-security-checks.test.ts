import { expect, test } from 'bun:test'
import { updateCodeScanningAlert } from '#features/security/index.ts'
import { listSecurityChecks } from '#features/security/merging/list-security-checks.ts'
import { makeScanWorld, REPO } from '../code-scanning/fixture.ts'
import { importOsv, osv, packageLock } from '../dependencies/fixture.ts'

test('the checks of scanners and of dependencies are told to everybody who reads, and nothing else', async () => {
  const { world, ada, otto, mel, ready, pull, scan, alerts } = await makeScanWorld()
  await world.commit(REPO, 'main', { 'package-lock.json': packageLock({ left: '1.0.0' }) })
  await world.jobs()
  await importOsv(world, [osv('GHSA-new', 'fresh', '2.0.0')])
  const packages = packageLock({ left: '1.0.0', fresh: '1.0.0' })
  const number = await ready(mel, { 'new.ts': 'query(x)\n', 'package-lock.json': packages })
  const sha = pull(number).head_sha ?? ''
  await scan([{ path: 'new.ts', message: 'Attack from here' }], {
    sha,
    git_ref: `refs/pull/${number}/head`,
  })
  const checks = () => world.call(listSecurityChecks, otto, { repo: REPO, sha })
  const dependencies = { context: 'dependencies', kind: 'dependency', state: 'failure' } as const
  const scanner = { context: 'code scanning / Scanner', kind: 'code' } as const
  expect(await checks()).toEqual([{ ...scanner, state: 'failure' as const }, dependencies])

  const [alert] = await alerts({ pull: number })
  await world.call(updateCodeScanningAlert, ada, {
    repo: REPO,
    id: alert?.id ?? '',
    state: 'dismissed',
    reason: 'used_in_tests',
  })
  expect(await checks()).toEqual([{ ...scanner, state: 'success' as const }, dependencies])
  const other = world.call(listSecurityChecks, otto, { repo: REPO, sha: '0'.repeat(40) })
  expect(await other).toEqual([])
})
