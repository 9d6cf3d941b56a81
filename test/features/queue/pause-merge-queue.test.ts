import { expect, test } from 'bun:test'
import { pauseMergeQueue } from '#features/queue/pause-merge-queue.ts'
import { refusal } from '../../world.ts'
import { makeQueueWorld, REPO } from './fixture.ts'

test('a paused queue goes on testing and lands nothing', async () => {
  const made = await makeQueueWorld()
  made.answers(() => 'passed')
  const pause = (as: typeof made.ada, reason: string) =>
    made.world.call(pauseMergeQueue, as, { repo: REPO, reason })
  expect(await refusal(pause(made.mel, 'No'))).toMatchObject({ status: 403, reason: 'role' })
  expect(await refusal(pause(made.ada, '  '))).toMatchObject({ status: 422, field: 'reason' })
  expect((await pause(made.ada, 'The deploy is stuck')).paused).toMatchObject({
    by: { username: 'ada' },
    reason: 'The deploy is stuck',
  })
  const first = await made.checked({ 'b.txt': 'one\n' })
  const second = await made.checked({ 'docs/guide.txt': 'two\n' })
  const main = made.ref('main')
  for (const number of [first, second]) await made.merge(number)
  await made.world.jobs()
  expect(await made.states()).toEqual([`${first} passed 1`, `${second} passed 1`])
  expect(made.ref('main')).toBe(main)
  expect(made.world.events('pull.merged')).toEqual([])
  expect((await made.entry(first)).estimated_at).toBeNull()
  await pause(made.ada, 'The deploy is stuck')
  expect(made.hearth.db.all(`SELECT 1 FROM audit_log WHERE action = 'queue.paused'`)).toHaveLength(
    1,
  )
})
