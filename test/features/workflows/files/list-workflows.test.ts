import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listWorkflows } from '#features/workflows/files/list-workflows.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from '../fixture.ts'

test('lists the files of the default branch, and those that ran before', async () => {
  const { push, world } = await makeRunsWorld()
  const list = async () =>
    (await world.call(listWorkflows, anonymous, REPO)).items.map(
      ({ path, name, state, events }) => [path, name, state, events],
    )
  await push({ '.hearth/workflows/only.yml': ONE_JOB }, { branch: 'other' })
  await push({ [FILE]: ONE_JOB, '.github/workflows/x.yml': ONE_JOB, 'ci.yml': ONE_JOB })
  expect(await list()).toEqual([
    ['.hearth/workflows/only.yml', 'Test', 'active', []],
    [FILE, 'Test', 'active', ['push', 'pull_request', 'workflow_dispatch']],
  ])
  await push({ [FILE]: null })
  expect((await list()).map(([path]) => path)).toEqual([
    '.github/workflows/x.yml',
    '.hearth/workflows/only.yml',
    FILE,
  ])
})
