import { expect, test } from 'bun:test'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { eventRecord } from '#features/repos/index.ts'
import { makeCheckWorld, REPO } from '../checks/fixture.ts'
import { refusal } from '../../world.ts'

test('failed checks may be ignored where the repository allows it, and that is written down', async () => {
  const { world, ada, mel, checked, configure, hearth, pull } = await makeCheckWorld()
  const number = await checked(mel, ['false'])
  await configure({ allow_ignoring_checks: true })
  // Nobody knows yet how they will end.
  expect(
    await refusal(world.call(mergePull, ada, { repo: REPO, number, ignore_checks: true })),
  ).toMatchObject({ status: 409, reason: 'checks_pending' })
  await world.jobs()
  await configure({ allow_ignoring_checks: false })
  expect(
    await refusal(world.call(mergePull, ada, { repo: REPO, number, ignore_checks: true })),
  ).toMatchObject({ status: 409, reason: 'checks_failed' })
  await configure({ allow_ignoring_checks: true })
  expect(await refusal(world.call(mergePull, ada, { repo: REPO, number }))).toMatchObject({
    status: 409,
    reason: 'checks_failed',
  })
  expect(
    await world.call(mergePull, ada, { repo: REPO, number, ignore_checks: true }),
  ).toMatchObject({ status: 'merged', checks_status: 'failed' })
  const [merged] = world.events('pull.merged')
  expect(merged?.data).toMatchObject({ number, checks_ignored: true })
  expect(merged && eventRecord(hearth, merged).summary).toContain('although its checks had failed')
  expect(
    hearth.db.all(
      `SELECT action, actor_id, target_name FROM audit_log WHERE action = 'pull.checks_ignored'`,
    ),
  ).toEqual([{ action: 'pull.checks_ignored', actor_id: ada.id, target_name: `${REPO}#${number}` }])
  expect(pull(number).merged_by).toBe(ada.id)
})

test('ignoring what has passed is nothing to write down', async () => {
  const { world, ada, mel, checked, hearth } = await makeCheckWorld({ allow_ignoring_checks: true })
  const number = await checked(mel, ['true'])
  await world.jobs()
  await world.call(mergePull, ada, { repo: REPO, number, ignore_checks: true })
  expect(world.events('pull.merged')[0]?.data).not.toHaveProperty('checks_ignored')
  expect(hearth.db.all(`SELECT 1 FROM audit_log WHERE action = 'pull.checks_ignored'`)).toEqual([])
})
