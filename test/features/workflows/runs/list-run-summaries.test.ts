import { expect, test } from 'bun:test'
import { listRunSummaries } from '#features/workflows/runs/list-run-summaries.ts'
import { makeRunsWorld, FILE, REPO } from '../fixture.ts'

const TWO = `on: push
jobs:
  a: { runs-on: ubuntu-latest, steps: [{ run: make }] }
  b: { runs-on: ubuntu-latest, steps: [{ run: make }] }
  c: { runs-on: ubuntu-latest, steps: [{ run: make }] }
`

test('gives the summaries of jobs in the order of the file, and of one job', async () => {
  const { world, eve, push, take, finish, runs } = await makeRunsWorld()
  await push({ [FILE]: TWO })
  const [first, second, third] = [await take(), await take(), await take()]
  await finish(second, { summary: '# Two\n' })
  await finish(first, { summary: '# One\n' })
  await finish(third)
  const [run] = await runs()
  const list = async (job?: string) =>
    (await world.call(listRunSummaries, eve, { ...REPO, id: run?.id ?? '', job })).items
  expect(await list()).toEqual([
    { job: first?.id ?? '', name: 'a', markdown: '# One\n' },
    { job: second?.id ?? '', name: 'b', markdown: '# Two\n' },
  ])
  expect((await list(second?.id)).map(({ name }) => name)).toEqual(['b'])
  expect(await list(third?.id)).toEqual([])
})
