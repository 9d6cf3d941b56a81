import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { compareCommits } from '#features/repos/commits/compare-commits.ts'
import { makeCode, repo } from '../code.ts'
import { refusal } from '../../../world.ts'

const { world, one, two } = await makeCode()

test('a comparison has what one side adds', async () => {
  await world.commit(repo, 'main', { 'c.txt': 'c' })
  const compared = await world.call(compareCommits, anonymous, {
    repo,
    basehead: `${one}...${two}`,
  })
  expect(compared).toMatchObject({
    base_sha: one,
    head_sha: two,
    merge_base_sha: one,
    ahead: 1,
    behind: 0,
    truncated: false,
  })
  expect(compared.commits.map(({ sha }) => sha)).toEqual([two])
  expect(compared.files.map(({ path }) => path)).toEqual(['a.ts'])
  expect(
    await refusal(world.call(compareCommits, anonymous, { repo, basehead: 'main..topic' })),
  ).toMatchObject({ status: 422, field: 'basehead' })
})
