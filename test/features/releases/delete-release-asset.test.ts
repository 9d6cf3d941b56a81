/** Files of releases, uploaded and downloaded over HTTP. */
import { describe, expect, test } from 'bun:test'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deleteReleaseAsset } from '#features/releases/delete-release-asset.ts'
import { deleteRelease } from '#features/releases/delete-release.ts'
import { listReleaseAssets } from '#features/releases/list-release-assets.ts'
import { DAY, HOUR } from '#lib/time.ts'
import { digest, makeServed, repo } from './served.ts'

describe('what no release names any more', () => {
  test('is swept away after a day, and what another one names stays', async () => {
    const { world, mel, ada, release, upload, kept, sweep } = await makeServed()
    const [one, two] = [await release('v1'), await release('v2')]
    const shared = await upload(one.id, 'shared', 'shared')
    await upload(two.id, 'other-name', 'shared')
    await upload(one.id, 'own', 'own')
    await world.call(deleteReleaseAsset, ada, { repo, id: shared.id })
    await world.call(deleteRelease, mel, { repo, id: one.id })
    await sweep()
    // Young ones may be about to be named.
    expect(kept()).toEqual([digest('own'), digest('shared')].sort())
    world.clock.advance(DAY + HOUR)
    // Sent again just now, so that its row may be on its way.
    await upload(two.id, 'again', 'again')
    const again = (await world.call(listReleaseAssets, ada, { repo, id: two.id })).items.find(
      ({ name }) => name === 'again',
    )
    await world.call(deleteReleaseAsset, ada, { repo, id: again?.id ?? '' })
    await sweep()
    expect(kept()).toEqual([digest('again'), digest('shared')].sort())
  })

  test('and what a stopped process left half in goes too', async () => {
    const { world, release, upload, incoming, sweep } = await makeServed()
    await upload((await release('v1')).id, 'a', 'a')
    const left = join(world.data, 'tmp/blobs/left')
    writeFileSync(left, 'half')
    const old = (world.clock.now() - 2 * HOUR) / 1000
    utimesSync(left, old, old)
    await sweep()
    expect(incoming()).toEqual([])
  })
})
