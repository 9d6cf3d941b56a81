import { expect, test } from 'bun:test'
import { moveInMergeQueue } from '#features/queue/move-in-merge-queue.ts'
import { refusal } from '../../world.ts'
import { makeQueueWorld, REPO, text } from './fixture.ts'

test('another order is built, tested and landed anew; only maintainers may, and it is written down', async () => {
  const made = await makeQueueWorld()
  made.answers(() => null)
  const numbers: number[] = []
  for (const line of [1, 7, 13])
    numbers.push(await made.checked({ 'a.txt': text({ [line]: 'changed' }) }))
  for (const number of numbers) await made.merge(number)
  await made.world.jobs()
  const [first = 0, second = 0, third = 0] = numbers
  const move = (as: typeof made.ada, number: number, position: number) =>
    made.world.call(moveInMergeQueue, as, { repo: REPO, number, position, reason: 'It is urgent' })
  expect(await refusal(move(made.mel, third, 1))).toMatchObject({ status: 403, reason: 'role' })
  expect(
    (
      await refusal(
        made.world.call(moveInMergeQueue, made.ada, { repo: REPO, number: third, position: 0 }),
      )
    ).status,
  ).toBe(422)
  const places = () =>
    made.world
      .events('queue.changed')
      .map(({ data, actor_id }) => [data.number, data.position, actor_id])
  const told = places().length
  expect(await move(made.ada, third, 1)).toMatchObject({ position: 1 })
  // Those that it passed hear of their places too, at once.
  expect(places().slice(told, told + 3)).toEqual([
    [third, 1, made.ada.id],
    [first, 2, made.ada.id],
    [second, 3, made.ada.id],
  ])
  expect(made.told(third).at(-1)).toBe('testing')
  await made.world.jobs()
  expect(await made.states()).toEqual([
    `${third} testing 1`,
    `${first} testing 1`,
    `${second} testing 1`,
  ])
  const { waiting } = await made.queue()
  expect(waiting.map(({ base_sha }) => base_sha)).toEqual([
    made.ref('main'),
    waiting[0]?.candidate_sha ?? null,
    waiting[1]?.candidate_sha ?? null,
  ])
  expect(
    made.hearth.db.one<{ data: string }>(`SELECT data FROM audit_log WHERE action = 'queue.moved'`)
      ?.data,
  ).toContain('It is urgent')
  // Past the end is the end; where it is already is no change.
  expect(await move(made.ada, third, 99)).toMatchObject({ position: 3 })
  await move(made.ada, third, 3)
  expect(made.hearth.db.all(`SELECT 1 FROM audit_log WHERE action = 'queue.moved'`)).toHaveLength(2)
  await made.world.jobs()
  for (const number of [first, second, third]) await made.finish(number, 'passed')
  expect(made.world.events('pull.merged').map(({ data }) => data.number)).toEqual([
    first,
    second,
    third,
  ])
})
