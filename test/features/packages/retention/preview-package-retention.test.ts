import { expect, test } from 'bun:test'
import { previewPackageRetention } from '#features/packages/retention/preview-package-retention.ts'
import { setPackageRetention } from '#features/packages/retention/set-package-retention.ts'
import { listPackageVersions } from '#features/packages/list-package-versions.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../../world.ts'
import { makePackageWorld, npm } from '../fixture.ts'

async function fiveVersions() {
  const all = await makePackageWorld()
  for (const number of [1, 2, 3, 4, 5]) {
    await all.publish('lib', `${number}.0.0`, { tags: number === 5 ? ['latest'] : [] })
    all.world.clock.advance(10 * DAY)
  }
  const preview = async (rule: object) => {
    const { versions } = await all.world.call(previewPackageRetention, all.ada, {
      ...npm('lib'),
      ...rule,
    })
    return versions.map(({ version }) => version)
  }
  return { ...all, preview }
}

test('a version goes only when count, age, pattern and tags all let it go', async () => {
  const { publish, preview } = await fiveVersions()
  const all = { keep_newest: 1, older_than_days: 0 }
  expect(await preview(all)).toEqual(['4.0.0', '3.0.0', '2.0.0', '1.0.0'])
  expect(await preview({ ...all, keep_newest: 3 })).toEqual(['2.0.0', '1.0.0'])
  expect(await preview({ ...all, older_than_days: 35 })).toEqual(['2.0.0', '1.0.0'])
  expect(await preview({ ...all, keep_matching: '3.* 1.0.?' })).toEqual(['4.0.0', '2.0.0'])
  await publish('lib', '2.5.0', { tags: ['lts'] })
  await publish('lib', '2.6.0', { tags: [] })
  // 5.0.0 is the latest, lts holds 2.5.0, and 2.6.0 is the newest.
  expect(await preview(all)).toEqual(['4.0.0', '3.0.0', '2.0.0', '1.0.0'])
})

test('the saved rule is previewed, nothing is deleted, and only admins may look', async () => {
  const { world, ada, rita, preview } = await fiveVersions()
  expect(await preview({})).toEqual([])
  await world.call(setPackageRetention, ada, {
    ...npm('lib'),
    keep_newest: 4,
    older_than_days: 0,
  })
  expect(await preview({})).toEqual(['1.0.0'])
  const { total } = await world.call(listPackageVersions, ada, npm('lib'))
  expect(total).toBe(5)
  const asked = world.call(previewPackageRetention, rita, npm('lib'))
  expect((await refusal(asked)).status).toBe(404)
})
