import { expect, test } from 'bun:test'
import { deleteRelease } from '#features/releases/delete-release.ts'
import { updateRelease } from '#features/releases/update-release.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { deleteTag } from '#features/repos/tags/delete-tag.ts'
import { deleteReleaseAsset } from '#features/releases/delete-release-asset.ts'
import { refusal } from '../../world.ts'
import { makeReleaseWorld } from './fixture.ts'

const repo = 'acme/site'

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
