import { expect, test } from 'bun:test'
import { storeBlob } from '#core/blobs.ts'
import { getPackage } from '#features/packages/get-package.ts'
import { listPackageVersions } from '#features/packages/list-package-versions.ts'
import { getPackageVersion } from '#features/packages/get-package-version.ts'
import { publishPackageVersion } from '#features/packages/publish-package-version.ts'
import { restorePackageVersion } from '#features/packages/restore-package-version.ts'
import { applyRetention } from '#features/packages/retention/apply-rules.ts'
import { setPackageRetention } from '#features/packages/retention/set-package-retention.ts'
import { setWorkspaceRetention } from '#features/packages/retention/set-workspace-retention.ts'
import { updateTotals } from '#features/packages/lifecycle.ts'
import { DAY } from '#lib/time.ts'
import { makePackageWorld, npm, workspace } from '../fixture.ts'

type World = Awaited<ReturnType<typeof makePackageWorld>>

const run = async ({ world }: World) =>
  applyRetention.run(
    { hearth: world.hearth, signal: new AbortController().signal, attempt: 1, id: 'job' },
    null,
  )

test('the job deletes what no rule keeps, with events, and it can be restored', async () => {
  const all = await makePackageWorld()
  const { world, ada, publish } = all
  for (const name of ['lib', 'tool', 'own'])
    for (const number of [1, 2, 3, 4]) {
      await publish(name, `${number}.0.0`)
      world.clock.advance(DAY)
    }
  await run(all)
  expect(world.events('package.deleted')).toEqual([])
  await world.call(setWorkspaceRetention, ada, { workspace, keep_newest: 2, older_than_days: 0 })
  await world.call(setPackageRetention, ada, { ...npm('own'), keep_newest: 3, older_than_days: 0 })
  await run(all)
  const left = async (name: string) => {
    const { items } = await world.call(listPackageVersions, ada, npm(name))
    return items.map(({ version }) => version)
  }
  expect(await left('lib')).toEqual(['4.0.0', '3.0.0'])
  expect(await left('tool')).toEqual(['4.0.0', '3.0.0'])
  expect(await left('own')).toEqual(['4.0.0', '3.0.0', '2.0.0'])
  expect(world.events('package.deleted')).toHaveLength(5)
  expect((await world.call(getPackage, ada, npm('lib'))).version_count).toBe(2)
  await world.call(restorePackageVersion, ada, { ...npm('lib'), version: '2.0.0' })
  expect(await left('lib')).toContain('2.0.0')
})

test('more versions than one write deletes go in several, none twice', async () => {
  const all = await makePackageWorld()
  const { world, ada, publish } = all
  const count = 230
  for (let number = 1; number <= count; number++) {
    // Versions share files with older ones, and some of them with one that is kept.
    const text = `text ${number % 40}${number % 3 === 0 ? 'x'.repeat(number) : ''}`
    await publish('lib', `${number}.0.0`, { text })
    world.clock.advance(1000)
  }
  await world.call(setPackageRetention, ada, { ...npm('lib'), keep_newest: 5, older_than_days: 0 })
  await run(all)
  const { items } = await world.call(listPackageVersions, ada, npm('lib'))
  expect(items.map(({ version }) => version)).toEqual(
    [230, 229, 228, 227, 226].map((number) => `${number}.0.0`),
  )
  expect(world.events('package.deleted')).toHaveLength(count - 5)
  const left = await world.call(getPackage, ada, npm('lib'))
  expect(left).toMatchObject({ version_count: 5, latest: '230.0.0' })
  const row = await world.write((tx) => updateTotals(tx, left.id))
  expect(left.size_in_bytes).toBe(row.size_in_bytes)
  expect(row).toMatchObject({ version_count: 5 })
})

test('old builds of a snapshot go, and what metadata names stays', async () => {
  const all = await makePackageWorld()
  const { world, ada } = all
  const target = { workspace, package_type: 'maven' as const, package_name: 'com.acme:lib' }
  const put = async (file: string) => {
    const bytes = async function* () {
      yield Buffer.from(file)
    }
    const blob = await storeBlob(world.hearth, bytes(), { maxBytes: 1000 })
    await world.call(publishPackageVersion, ada, {
      ...target,
      publication: {
        version: '1.1-SNAPSHOT',
        digest: 'snapshot',
        metadata: {},
        addsFiles: true,
        files: [
          {
            path: `1.1-SNAPSHOT/lib-1.1-${file}`,
            sha256: blob.sha256,
            size: blob.size,
            digests: {},
            content_type: 'application/octet-stream',
          },
        ],
      },
    })
  }
  await put('20260101.100000-1-sources.jar')
  for (const build of [1, 2, 3, 10]) {
    await put(`20260101.10000${build % 10}-${build}.jar`)
    await put(`20260101.10000${build % 10}-${build}.pom`)
  }
  await put('20260101.100005-11.jar')
  await world.call(setPackageRetention, ada, { ...target, snapshots_kept: 2, older_than_days: 0 })
  await run(all)
  const { files } = await world.call(getPackageVersion, ada, { ...target, version: '1.1-SNAPSHOT' })
  const { id, size_in_bytes } = await world.call(getPackage, ada, target)
  const row = await world.write((tx) => updateTotals(tx, id))
  expect(size_in_bytes).toBe(row.size_in_bytes)
  expect(files.map(({ name }) => name.replace('1.1-SNAPSHOT/lib-1.1-20260101.', ''))).toEqual([
    // The newest sources that there are.
    '100000-1-sources.jar',
    '100000-10.jar',
    '100000-10.pom',
    '100003-3.jar',
    '100003-3.pom',
    // The build is not finished yet.
    '100005-11.jar',
  ])
})
