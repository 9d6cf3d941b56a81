import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getBlame } from '#features/repos/blame/get-blame.ts'
import { recordMergedCommits } from '#features/repos/index.ts'
import { makeCode, repo } from '../code.ts'
import { refusal } from '../../../world.ts'

const { world, site, one, two } = await makeCode()

test('blame names the commit of every line, and the pull request that brought it', async () => {
  await world.write((tx) => recordMergedCommits(tx, site.id, [two], { number: 5, session: true }))
  const ranges = await world.call(getBlame, anonymous, { repo, path: 'a.ts' })
  expect(
    ranges.map(({ from_line, commit, pull, session }) => [from_line, commit.sha, pull, session]),
  ).toEqual([
    [1, one, null, false],
    [2, two, 5, true],
  ])
  expect((await refusal(world.call(getBlame, anonymous, { repo, path: 'docs' }))).status).toBe(422)
})
