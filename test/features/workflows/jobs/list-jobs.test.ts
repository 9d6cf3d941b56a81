import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { reportSteps } from '#features/workflows/index.ts'
import { listJobs } from '#features/workflows/jobs/list-jobs.ts'
import { makeRunsWorld, REPO } from '../fixture.ts'

const step = (number: number, name: string) => ({
  number,
  name,
  status: 'completed' as const,
  conclusion: 'success' as const,
  started_at: null,
  finished_at: null,
  log_from: number,
  log_to: number,
})

test('with steps and annotations, of which there are at most fifty', async () => {
  const { push, take, finish, runs, world, hearth } = await makeRunsWorld()
  await push()
  const job = await take()
  await reportSteps(hearth, job?.id ?? '', [step(1, 'Set up'), step(2, 'make')])
  const annotations = Array.from({ length: 80 }, (_, index) => ({
    step: index % 8,
    level: 'warning' as const,
    file: 'a.c',
    line: index + 1,
    end_line: null,
    column: null,
    title: null,
    message: `fault ${index}`,
  }))
  await finish(job, { annotations })
  const id = (await runs())[0]?.id ?? ''
  const [shown] = (await world.call(listJobs, anonymous, { ...REPO, id })).items
  expect(shown?.steps.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['Set up', 'success'],
    ['make', 'success'],
  ])
  expect(shown?.annotations).toHaveLength(50)
  expect(shown?.annotations[0]).toEqual({
    level: 'warning',
    step: 0,
    file: 'a.c',
    line: 1,
    end_line: null,
    column: null,
    title: null,
    message: 'fault 0',
  })
})
