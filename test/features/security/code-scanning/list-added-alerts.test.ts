import { expect, test } from 'bun:test'
import { listAddedAlerts } from '#features/security/code-scanning/list-added-alerts.ts'
import { updateCodeScanningAlert } from '#features/security/index.ts'
import { refusal } from '../../../world.ts'
import { makeScanWorld, REPO } from './fixture.ts'

test('only open alerts on added lines, at the lines of the present head', async () => {
  const { world, ada, mel, otto, scan, pull, ready, alerts, fork } = await makeScanWorld()
  await world.commit(REPO, 'main', { 'old.ts': 'query(y)\n' })
  await scan([{ path: 'old.ts' }])
  const number = await ready(mel, { 'new.ts': 'fine()\nquery(x)\nother()\n' })
  await scan(
    [
      { path: 'old.ts' },
      { path: 'new.ts', line: 2 },
      { path: 'new.ts', line: 3, rule: 'low', level: 'note' },
    ],
    {
      sha: pull(number).head_sha ?? '',
      git_ref: `refs/pull/${number}/head`,
    },
  )
  const added = async () =>
    (await world.call(listAddedAlerts, ada, { repo: REPO, number })).map(({ path, line, rule }) => [
      path,
      line,
      rule,
    ])
  expect(await added()).toEqual([
    ['new.ts', 2, 'Query from user input'],
    ['new.ts', 3, 'low'],
  ])
  // A later push moves one line and changes the other.
  await world.commit(
    fork(number),
    'main',
    { 'new.ts': 'fine()\nfiner()\nquery(x)\nchanged()\n' },
    { as: mel },
  )
  expect(await added()).toEqual([['new.ts', 3, 'Query from user input']])
  const found = (await alerts({ pull: number })).find(({ path }) => path === 'new.ts')
  await world.call(updateCodeScanningAlert, ada, {
    repo: REPO,
    id: found?.id ?? '',
    state: 'dismissed',
    reason: 'used_in_tests',
  })
  expect(await added()).toEqual([])
  expect((await refusal(world.call(listAddedAlerts, otto, { repo: REPO, number }))).status).toBe(
    403,
  )
})
