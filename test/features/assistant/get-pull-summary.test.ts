import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getPullSummary } from '#features/assistant/get-pull-summary.ts'
import { sweepQuestions } from '#features/assistant/sweep.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makeSummaryWorld } from './pull-fixture.ts'

test('a summary is there for the person who asked, until it is old', async () => {
  const { route, summarize, read, world, bob, at } = await makeSummaryWorld([{ text: 'Done.' }])
  await route()
  expect((await refusal(read())).status).toBe(404)
  const done = await summarize()
  expect(await read()).toEqual(done)
  expect((await refusal(read(bob))).status).toBe(404)
  expect((await refusal(world.call(getPullSummary, anonymous, at))).status).toBe(404)
  world.clock.advance(31 * DAY)
  await sweepQuestions.run(
    { hearth: world.hearth, signal: new AbortController().signal } as never,
    null,
  )
  expect((await refusal(read())).status).toBe(404)
})
