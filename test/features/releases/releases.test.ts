import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { deleteRelease } from '#features/releases/delete-release.ts'
import { getLatestRelease } from '#features/releases/get-latest-release.ts'
import { getReleaseByTag } from '#features/releases/get-release-by-tag.ts'
import { getRelease } from '#features/releases/get-release.ts'
import { listReleases } from '#features/releases/list-releases.ts'
import { updateRelease } from '#features/releases/update-release.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { createTag } from '#features/repos/create-tag.ts'
import { deleteTag } from '#features/repos/delete-tag.ts'
import { listTags } from '#features/repos/list-tags.ts'
import { deleteReleaseAsset } from '#features/releases/delete-release-asset.ts'
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
    expect(
      world.events('git.push').filter(({ data }) => data['ref'] === 'refs/tags/v2'),
    ).toHaveLength(1)
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

test('a ruleset keeps what is published as it is: tag and files, but not its notes', async () => {
  const { world, ada, mel, release, upload } = await makeReleaseWorld()
  const draft = await release('v1', { draft: true })
  await world.call(createRuleset, ada, {
    repo,
    name: 'Frozen',
    target: 'tag',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
    rules: [{ type: 'immutable_releases' }],
  } as never)
  const asset = await upload(draft.id, 'a.txt', 'before')
  const out = await world.call(updateRelease, ada, { repo, id: draft.id, draft: false })
  expect(out.immutable).toBe(true)
  const released = { code: 'conflict', reason: 'released' }
  expect(await refusal(upload(draft.id, 'b.txt', 'after'))).toMatchObject({
    ...released,
    details: { name: 'Frozen' },
  })
  expect(await refusal(world.call(deleteReleaseAsset, ada, { repo, id: asset.id }))).toMatchObject(
    released,
  )
  expect(
    await refusal(world.call(updateRelease, ada, { repo, id: draft.id, tag_name: 'v2' })),
  ).toMatchObject(released)
  expect(
    await refusal(world.call(updateRelease, ada, { repo, id: draft.id, draft: true })),
  ).toMatchObject(released)
  expect(await refusal(world.call(deleteRelease, mel, { repo, id: draft.id }))).toMatchObject(
    released,
  )
  expect(await refusal(world.call(deleteTag, mel, { repo, tag: 'v1' }))).toMatchObject({
    code: 'conflict',
    reason: 'rule',
  })
  expect(
    await world.call(updateRelease, ada, { repo, id: draft.id, body: 'A word.' }),
  ).toMatchObject({ body: 'A word.', assets: [{ name: 'a.txt' }], tag_sha: out.tag_sha })
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
