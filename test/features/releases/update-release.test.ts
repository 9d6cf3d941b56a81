import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getLatestRelease } from '#features/releases/get-latest-release.ts'
import { getReleaseByTag } from '#features/releases/get-release-by-tag.ts'
import { getRelease } from '#features/releases/get-release.ts'
import { listReleases } from '#features/releases/list-releases.ts'
import { updateRelease } from '#features/releases/update-release.ts'
import { listTags } from '#features/repos/tags/list-tags.ts'
import { refusal } from '../../world.ts'
import { makeReleaseWorld } from './fixture.ts'

const repo = 'acme/site'

describe('drafts', () => {
  test('have no tag, tell nobody, are seen with Write alone, and are published where their target is then', async () => {
    const { world, otto, rita, first, release } = await makeReleaseWorld()
    const draft = await release('v1', { draft: true }, otto)
    expect(draft).toMatchObject({
      draft: true,
      published_at: null,
      tag_sha: null,
      target: first,
      latest: false,
      html_url: `https://hearth.test/acme/site/releases/${draft.id}`,
    })
    expect((await world.call(listTags, otto, { repo })).items).toEqual([])
    expect(world.events('release.published')).toEqual([])
    for (const caller of [rita, anonymous]) {
      expect((await refusal(world.call(getRelease, caller, { repo, id: draft.id }))).code).toBe(
        'not_found',
      )
      expect(await world.call(listReleases, caller, { repo })).toMatchObject({
        items: [],
        total: 0,
      })
    }
    expect((await refusal(world.call(getReleaseByTag, otto, { repo, tag: 'v1' }))).code).toBe(
      'not_found',
    )
    expect((await refusal(world.call(getLatestRelease, otto, { repo }))).code).toBe('not_found')
    expect((await world.call(listReleases, otto, { repo })).items).toHaveLength(1)

    const second = await world.commit(repo, 'main', { a: 'b' })
    world.clock.advance(60_000)
    const out = await world.call(updateRelease, otto, { repo, id: draft.id, draft: false })
    expect(out).toMatchObject({
      draft: false,
      published_at: '2026-03-01T12:01:00.000Z',
      target: second,
      tag_sha: second,
      latest: true,
    })
    expect(world.events('release.published')).toHaveLength(1)

    // Taken back, its tag stays and it is told again when it comes out again.
    expect(
      await world.call(updateRelease, otto, { repo, id: draft.id, draft: true }),
    ).toMatchObject({ draft: true, published_at: null, tag_sha: second, latest: false })
    expect((await refusal(world.call(getRelease, rita, { repo, id: draft.id }))).code).toBe(
      'not_found',
    )
  })

  test('change as they like, and what is not said stays', async () => {
    const { world, ada, release } = await makeReleaseWorld()
    const draft = await release('v1', { draft: true, name: 'One', body: 'Notes', prerelease: true })
    expect(
      await world.call(updateRelease, ada, { repo, id: draft.id, tag_name: 'v2' }),
    ).toMatchObject({ tag_name: 'v2', name: 'One', body: 'Notes', prerelease: true, draft: true })
    await release('v3')
    expect(
      await refusal(world.call(updateRelease, ada, { repo, id: draft.id, tag_name: 'v3' })),
    ).toMatchObject({ reason: 'already_exists' })
    expect(
      await world.call(updateRelease, ada, { repo, id: draft.id, name: '', body: '' }),
    ).toMatchObject({ name: 'v2', body: '' })
  })
})
