import { expect, test } from 'bun:test'
import { pauseMergeQueue } from '#features/queue/pause-merge-queue.ts'
import { resumeMergeQueue } from '#features/queue/resume-merge-queue.ts'
import { refusal } from '../../world.ts'
import { makeQueueWorld, REPO } from './fixture.ts'

test('what passed meanwhile lands at once', async () => {
  const made = await makeQueueWorld()
  made.answers(() => 'passed')
  await made.world.call(pauseMergeQueue, made.ada, { repo: REPO, reason: 'Wait' })
  const number = await made.checked({ 'b.txt': 'one\n' })
  await made.merge(number)
  await made.world.jobs()
  const { candidate_sha } = await made.entry(number)
  expect(await refusal(made.world.call(resumeMergeQueue, made.mel, { repo: REPO }))).toMatchObject({
    status: 403,
  })
  expect((await made.world.call(resumeMergeQueue, made.ada, { repo: REPO })).paused).toBeNull()
  await made.world.jobs()
  expect(made.ref('main')).toBe(candidate_sha)
  expect(made.pull(number).status).toBe('merged')
  await made.world.call(resumeMergeQueue, made.ada, { repo: REPO })
  expect(made.hearth.db.all(`SELECT 1 FROM audit_log WHERE action = 'queue.resumed'`)).toHaveLength(
    1,
  )
})
