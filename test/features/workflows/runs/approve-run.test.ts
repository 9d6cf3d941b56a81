import { expect, test } from 'bun:test'
import { createPull } from '#features/pulls/index.ts'
import { setSecret } from '#features/variables/set-secret.ts'
import { approveRun } from '#features/workflows/runs/approve-run.ts'
import { refusal } from '../../../world.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from '../fixture.ts'

test('a change from outside waits for somebody with Write, and gets no secrets', async () => {
  const { push, runs, take, finish, world, ada, eve, run } = await makeRunsWorld()
  await world.call(setSecret, ada, { ...REPO, setting: 'TOKEN', value: 'hush hush' })
  await push({ [FILE]: ONE_JOB.replace('make', 'echo ${{ secrets.TOKEN }}') })
  const pushed = await take()
  await finish(pushed)
  const { pull } = await world.call(createPull, eve, { ...REPO, title: 'From outside' })
  const fork = `acme/site/pull/${pull.number}`
  await world.commit(
    fork,
    pull.branch ?? 'main',
    { [FILE]: ONE_JOB.replace('make', 'steal ${{ secrets.TOKEN }}'), 'a.txt': 'a' },
    { as: eve },
  )
  await world.jobs()
  const waiting = (await runs()).find(({ event }) => event === 'pull_request')
  expect(waiting).toMatchObject({
    status: 'waiting',
    waiting_for: 'approval',
    trusted: false,
    pull: pull.number,
  })
  expect(await take()).toBeNull()
  const id = waiting?.id ?? ''
  expect((await refusal(world.call(approveRun, eve, { ...REPO, id }))).reason).toBe('role')
  expect((await world.call(approveRun, ada, { ...REPO, id })).status).toBe('queued')
  await world.jobs()
  const job = await take()
  expect([job?.isTrusted, job?.secrets]).toEqual([false, {}])
  // The file is that of the base, whatever the change says.
  expect(JSON.stringify(job?.plan.steps)).not.toContain('steal')
  await finish(job)
  expect((await run(id)).conclusion).toBe('success')
  expect((await refusal(world.call(approveRun, ada, { ...REPO, id }))).reason).toBe('not_ready')
})
