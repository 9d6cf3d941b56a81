/** Answers that are lost after the forge did the work: no job waits for them, none runs twice. */
import { expect, test } from 'bun:test'
import { setSecret } from '#features/variables/set-secret.ts'
import { makeWireWorld, REPO } from './wire.ts'

const ONE = `on: push
jobs:
  build: { runs-on: linux, steps: [{ run: 'echo \${{ secrets.KEY }}' }] }
`

async function setUp() {
  const made = await makeWireWorld()
  await made.world.call(setSecret, made.ada, { ...REPO, setting: 'KEY', value: 'top-secret-key' })
  const far = await made.runner()
  await made.push(ONE)
  return { ...made, far }
}

test('a job whose task never arrived is given again when its runner asks again', async () => {
  const { world, far, push, run, jobs } = await setUp()
  const lost = (await far.fetch())?.id ?? 0
  // A second request at once may be another slot of the runner, whose first report is on its way.
  expect(await far.fetch()).toBeNull()
  world.clock.advance(16_000)
  const again = await far.fetch()
  expect(again?.id).toBeGreaterThan(lost)
  expect(again?.secrets.KEY).toBe('top-secret-key')
  // The first task is nobody's any more, so the job cannot be told about twice.
  expect(far.log(lost, 0, ['from the first'])).rejects.toThrow('not_found')
  const id = again?.id ?? 0
  await far.log(id, 0, ['once'], true)
  await far.state(id, { result: 'RESULT_SUCCESS' })
  await world.jobs()
  expect(await run()).toMatchObject({ status: 'completed', conclusion: 'success' })
  expect(await jobs()).toHaveLength(1)
  await push(ONE.replace('echo', 'echo again'))
  expect(await far.fetch()).not.toBeNull()
})

test('a task of which the runner has said something stays with it', async () => {
  const { world, far } = await setUp()
  const id = (await far.fetch())?.id ?? 0
  expect(await far.log(id, 0, ['begun'])).toBe(1)
  world.clock.advance(16_000)
  expect(await far.fetch()).toBeNull()
  expect(await far.log(id, 1, ['goes on'])).toBe(2)
})

test('a request with the key of an earlier one gets the job of the earlier one', async () => {
  const { world, far } = await setUp()
  const key = (text: string) => ({ 'x-runner-request-key': text })
  const lost = (await far.fetch(0, key('a')))?.id ?? 0
  const again = (await far.fetch(0, key('a')))?.id ?? 0
  expect(again).toBeGreaterThan(lost)
  // Another key says that the answer arrived, however long nothing is heard.
  world.clock.advance(16_000)
  expect(await far.fetch(0, key('b'))).toBeNull()
  expect(await far.log(again, 0, ['begun'])).toBe(1)
})

test('a job that never arrives has failed after some times, and says so', async () => {
  const { world, far, run, jobs } = await setUp()
  for (let n = 0; n < 4; n++) {
    expect(await far.fetch()).not.toBeNull()
    world.clock.advance(16_000)
  }
  expect(await far.fetch()).toBeNull()
  await world.jobs()
  expect(await run()).toMatchObject({ status: 'completed', conclusion: 'failure' })
  expect((await jobs())[0]?.reason).toBe('The runner far was given the job, and never began it')
})

test('a runner for one job gets the job again that never arrived', async () => {
  const { world, runner, push, far } = await setUp()
  expect(await far.fetch()).not.toBeNull()
  const once = await runner({ ephemeral: true })
  await push(ONE.replace('echo', 'echo again'))
  expect(await once.fetch()).not.toBeNull()
  world.clock.advance(16_000)
  expect(await once.fetch()).not.toBeNull()
})

test('reports whose answers were lost are taken once', async () => {
  const { world, far, run, jobs, text } = await setUp()
  const id = (await far.fetch())?.id ?? 0
  expect(await far.log(id, 0, ['a', 'b'])).toBe(2)
  expect(await far.log(id, 0, ['a', 'b'])).toBe(2)
  expect(await far.log(id, 0, ['a', 'b', 'c'], true)).toBe(3)
  expect(await far.log(id, 0, ['a', 'b', 'c'], true)).toBe(3)
  const end = {
    result: 'RESULT_SUCCESS',
    steps: [{ result: 'RESULT_SUCCESS', startedAt: 1 }],
  } as const
  expect((await far.state(id, end)).result).toBe('RESULT_SUCCESS')
  expect((await far.state(id, end)).result).toBe('RESULT_SUCCESS')
  await world.jobs()
  expect(await run()).toMatchObject({ status: 'completed', conclusion: 'success' })
  expect(await text((await jobs())[0]?.id ?? '')).toEqual(['a', 'b', 'c'])
})
