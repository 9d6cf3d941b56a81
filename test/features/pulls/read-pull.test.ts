import { expect, test } from 'bun:test'
import { addComment } from '#features/issues/index.ts'
import { getPull, readPull } from '#features/pulls/index.ts'
import { countQueries } from '../../queries.ts'
import { makePullWorld, REPO } from './fixture.ts'

test('the pages of a pull request read it without its comments, which they read in parts', async () => {
  const { world, otto, ready, issue } = await makePullWorld({ required_approvals: 1 })
  const number = await ready(otto, { 'a.txt': 'new\n' }, { issue: await issue() })
  const pull = { repo: REPO, number }
  await world.call(addComment, otto, { ...pull, body: 'Why?' })
  await world.jobs()
  const { comments, ...overview } = await world.call(getPull, otto, pull)
  expect(comments).toHaveLength(1)
  const whole = await countQueries(world.hearth, () => world.call(getPull, otto, pull))
  const page = await countQueries(world.hearth, () => world.call(readPull, otto, pull))
  expect(page.result).toEqual(overview)
  expect(page.queries).toBeLessThan(whole.queries)
})
