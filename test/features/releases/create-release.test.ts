import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { deleteRelease } from '#features/releases/delete-release.ts'
import { getLatestRelease } from '#features/releases/get-latest-release.ts'
import { getReleaseByTag } from '#features/releases/get-release-by-tag.ts'
import { getRelease } from '#features/releases/get-release.ts'
import { listReleases } from '#features/releases/list-releases.ts'
import { updateRelease } from '#features/releases/update-release.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { createTag } from '#features/repos/tags/create-tag.ts'
import { listTags } from '#features/repos/tags/list-tags.ts'
import { refusal, withToken } from '../../world.ts'
import { makeReleaseWorld } from './fixture.ts'

const repo = 'acme/site'

describe('publishing', () => {
  test('makes a missing tag at the target, tells of it once, and shows the release to everyone', async () => {
    const { world, otto, first, release } = await makeReleaseWorld()
    const second = await world.commit(repo, 'main', { 'README.md': 'two\n' })
    const made = await release(
      'v1.0',
      { target: first.slice(0, 10), name: 'One', body: 'It begins.' },
      otto,
    )
    expect(made).toMatchObject({
      tag_name: 'v1.0',
      target: first,
      tag_sha: first,
      name: 'One',
      body: 'It begins.',
      draft: false,
      prerelease: false,
      latest: true,
      assets: [],
      notes_generated: false,
      immutable: false,
      author: { username: 'otto' },
      published_at: '2026-03-01T12:00:00.000Z',
      html_url: 'https://hearth.test/acme/site/releases/tag/v1.0',
      zipball_url: 'https://hearth.test/api/repos/acme/site/zipball/v1.0',
    })
    expect(made.id).toMatch(/^rel_/)
    expect((await world.call(listTags, anonymous, { repo })).items).toMatchObject([
      { name: 'v1.0', target: first },
    ])
    expect(world.events('release.published').map(({ data, actor_id }) => [data, actor_id])).toEqual(
      [[{ release: made.id, tag_name: 'v1.0', name: 'One', prerelease: false }, otto.id]],
    )
    expect(world.events('git.push').at(-1)?.data).toMatchObject({
      ref: 'refs/tags/v1.0',
      after: first,
    })

    // Without a target it is the default branch, and without a name the tag.
    expect(await release('v1.1')).toMatchObject({ target: second, name: 'v1.1', body: '' })
    expect(await world.call(getRelease, anonymous, { repo, id: made.id })).toEqual({
      ...made,
      latest: false,
    })
    expect((await world.call(getReleaseByTag, anonymous, { repo, tag: 'v1.0' })).id).toBe(made.id)
    const { items, total } = await world.call(listReleases, anonymous, { repo })
    expect([items.map(({ tag_name }) => tag_name), total]).toEqual([['v1.1', 'v1.0'], 2])
  })

  test('takes a tag that is there as it is, and moves nothing', async () => {
    const { world, ada, first, release } = await makeReleaseWorld()
    await world.call(createTag, ada, { repo, tag: 'v2', target: 'main', message: 'Second' })
    await world.commit(repo, 'main', { a: 'b' })
    expect(await release('v2', { target: 'main' })).toMatchObject({ target: first, tag_sha: first })
    expect(world.events('git.push').filter(({ data }) => data.ref === 'refs/tags/v2')).toHaveLength(
      1,
    )
  })

  test('refuses a second release of a tag, names that are none, targets that are not there, and leaves nothing of them', async () => {
    const { world, ada, release } = await makeReleaseWorld()
    await release('v1')
    expect(await refusal(release('v1'))).toMatchObject({
      code: 'conflict',
      reason: 'already_exists',
    })
    for (const tag of ['a b', '-x', 'a..b', 'x.lock', 'HEAD'])
      expect(await refusal(release(tag))).toMatchObject({ code: 'invalid', field: 'tag_name' })
    expect(await refusal(release('v2', { target: 'nowhere' }))).toMatchObject({
      code: 'not_found',
      field: 'target',
    })
    expect(await refusal(release('v2', { target: 'nowhere', draft: true }))).toMatchObject({
      code: 'not_found',
      field: 'target',
    })
    expect(await refusal(release('v2', { prerelease: true, latest: true }))).toMatchObject({
      code: 'invalid',
      field: 'latest',
    })
    expect(await refusal(release('v1/x'))).toMatchObject({ code: 'conflict' })
    expect(await refusal(release('v2', { name: 'a\nb' }))).toMatchObject({
      code: 'invalid',
      field: 'name',
    })
    expect((await world.call(listReleases, ada, { repo })).items).toHaveLength(1)
    expect((await world.call(listTags, ada, { repo })).items).toHaveLength(1)
    expect(world.events('release.published')).toHaveLength(1)
  })

  test('is for those with Write, deleting for those with Maintain; a private one is told to nobody else', async () => {
    const { world, ada, mel, otto, rita, release } = await makeReleaseWorld({ private: true })
    const made = await release('v1', {}, otto)
    expect(await refusal(release('v2', {}, rita))).toMatchObject({
      code: 'forbidden',
      reason: 'role',
    })
    expect(
      await refusal(world.call(updateRelease, rita, { repo, id: made.id, name: 'x' })),
    ).toMatchObject({ reason: 'role' })
    expect(await refusal(world.call(deleteRelease, otto, { repo, id: made.id }))).toMatchObject({
      reason: 'role',
    })
    expect((await refusal(world.call(listReleases, anonymous, { repo }))).code).toBe('not_found')
    expect(
      (await refusal(world.call(getLatestRelease, await world.user('zoe'), { repo }))).code,
    ).toBe('not_found')
    expect(
      await refusal(
        world.call(getRelease, withToken(ada, { scopes: ['code:read'] }), { repo, id: made.id }),
      ),
    ).toMatchObject({ reason: 'scope' })
    expect((await world.call(getRelease, rita, { repo, id: made.id })).tag_name).toBe('v1')
    await world.call(deleteRelease, mel, { repo, id: made.id })
    expect((await refusal(world.call(getRelease, ada, { repo, id: made.id }))).code).toBe(
      'not_found',
    )
    // The tag stays.
    expect((await world.call(listTags, ada, { repo })).items).toMatchObject([{ name: 'v1' }])
  })
})

test('a rule about tags holds for those that a release makes', async () => {
  const { world, ada, otto, release } = await makeReleaseWorld()
  await world.call(createRuleset, ada, {
    repo,
    name: 'Versions',
    target: 'tag',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
    rules: [{ type: 'tag_name', parameters: { pattern: '^v[0-9]', message: 'v and a number' } }],
  } as never)
  expect(await refusal(release('nightly', {}, otto))).toMatchObject({
    code: 'conflict',
    reason: 'rule',
  })
  expect(await world.call(listReleases, otto, { repo })).toMatchObject({ items: [] })
  expect((await release('v1', {}, otto)).tag_sha).not.toBeNull()
})
