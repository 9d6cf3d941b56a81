import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { deleteRelease } from '#features/releases/delete-release.ts'
import { getLatestRelease } from '#features/releases/get-latest-release.ts'
import { listReleases } from '#features/releases/list-releases.ts'
import { updateRelease } from '#features/releases/update-release.ts'
import { makeReleaseWorld } from './fixture.ts'

const repo = 'acme/site'

describe('the latest', () => {
  test('is the highest version, whatever came out last, and never a draft or a prerelease', async () => {
    const { world, release } = await makeReleaseWorld()
    const latest = async () => (await world.call(getLatestRelease, anonymous, { repo })).tag_name
    await release('nightly')
    expect(await latest()).toBe('nightly')
    await release('v1.9')
    await release('v1.10')
    await release('v1.9.1')
    expect(await latest()).toBe('v1.10')
    await release('v2.0-rc.1', { prerelease: true })
    await release('v3', { draft: true })
    expect(await latest()).toBe('v1.10')
    await release('v2.0-beta')
    expect(await latest()).toBe('v2.0-beta')
    await release('v2.0')
    expect(await latest()).toBe('v2.0')
    const { items } = await world.call(listReleases, anonymous, { repo })
    expect(items.filter((one) => one.latest)).toHaveLength(1)
  })

  test('can be set, and moves on when the one that it was goes', async () => {
    const { world, ada, mel, release } = await makeReleaseWorld()
    const latest = async () => (await world.call(getLatestRelease, anonymous, { repo })).tag_name
    const [one, two] = [await release('v1'), await release('v2')]
    expect((await world.call(updateRelease, ada, { repo, id: one.id, latest: true })).latest).toBe(
      true,
    )
    expect(await latest()).toBe('v1')
    await release('v3', { latest: false })
    expect(await latest()).toBe('v1')
    await world.call(updateRelease, ada, { repo, id: one.id, prerelease: true })
    expect(await latest()).toBe('v2')
    await world.call(deleteRelease, mel, { repo, id: two.id })
    expect(await latest()).toBe('v3')
  })
})
