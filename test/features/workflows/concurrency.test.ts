import { expect, test } from 'bun:test'
import { FILE, makeRunsWorld, ONE_JOB } from './fixture.ts'

const grouped = (more = '') =>
  ONE_JOB.replace('jobs:', `concurrency:\n  group: \${{ github.ref }}\n${more}\njobs:`)

test('one run of a group at a time; of those that wait, the newest stays', async () => {
  const { push, take, finish, runs } = await makeRunsWorld()
  const states = async () =>
    (await runs()).map(({ status, conclusion, waiting_for }) => conclusion ?? waiting_for ?? status)
  await push({ [FILE]: grouped() })
  const first = await take()
  await push({ 'a.txt': '1' })
  expect(await states()).toEqual(['concurrency', 'in_progress'])
  expect(await take()).toBeNull()
  await push({ 'a.txt': '2' })
  expect(await states()).toEqual(['concurrency', 'cancelled', 'in_progress'])
  await finish(first)
  expect(await states()).toEqual(['queued', 'cancelled', 'success'])
  await finish(await take())
  expect(await states()).toEqual(['success', 'cancelled', 'success'])
})

test('cancel-in-progress stops the one that runs, and groups of other branches go on', async () => {
  const { push, take, runs, world } = await makeRunsWorld()
  await push({ [FILE]: grouped('  cancel-in-progress: true') })
  const first = await take()
  await push({ [FILE]: grouped('  cancel-in-progress: true') }, { branch: 'other' })
  expect(first?.stop.aborted).toBe(false)
  await push({ 'a.txt': '1' })
  expect(first?.stop.aborted).toBe(true)
  world.clock.advance(10_000)
  await world.jobs()
  expect((await runs()).map(({ ref, conclusion, status }) => [ref, conclusion ?? status])).toEqual([
    ['refs/heads/main', 'queued'],
    ['refs/heads/other', 'queued'],
    ['refs/heads/main', 'cancelled'],
  ])
})
