import { expect, test } from 'bun:test'
import { listTrackerUpdates } from '#features/incoming/list-tracker-updates.ts'
import { sweepIncoming } from '#features/incoming/sweep.ts'
import { closeIssue } from '#features/issues/close-issue.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makeIncomingWorld, REPO } from './fixture.ts'
import { trackerReceiver } from './updates/tracker-receiver.ts'

test('says what a service was told, newest first, for 30 days, to Owners only', async () => {
  const { connect, issues, world, ada, bob } = await makeIncomingWorld()
  const { url } = trackerReceiver(({ body }) => ({ status: body.includes('closed') ? 500 : 200 }))
  const { id, sendSigned, updates } = await connect('webhook', {
    config: { update_url: url },
    sync: { sync_status: true, sync_comments: true },
  })
  await sendSigned({ id: 'a1', title: 'Leak' })
  const [{ number } = { number: 0 }] = await issues()
  await world.call(addComment, ada, { repo: REPO, number, body: 'I look.' })
  await world.jobs()
  await world.call(closeIssue, ada, { repo: REPO, number })
  await world.jobs()
  expect(await updates()).toMatchObject([
    { kind: 'status', issue: number, state: 'waiting', attempt: 1 },
    { kind: 'comment', issue: number, state: 'sent', attempt: 1, message: null },
  ])
  const asked = world.call(listTrackerUpdates, bob, { workspace: 'acme', id })
  expect((await refusal(asked)).code).toBe('forbidden')
  world.clock.advance(31 * DAY)
  await sweepIncoming.run(
    { hearth: world.hearth, signal: new AbortController().signal } as never,
    null,
  )
  // What waits is kept, however old it is.
  expect((await updates()).map(({ kind }) => kind)).toEqual(['status'])
})
