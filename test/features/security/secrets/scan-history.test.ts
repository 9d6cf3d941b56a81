import { expect, test } from 'bun:test'
import { listSecretLocations } from '#features/security/secrets/list-secret-locations.ts'
import { scanHistory } from '#features/security/secrets/scan-history.ts'
import { scanHistoryJob } from '#features/security/secrets/history-job.ts'
import { refusal } from '../../../world.ts'
import { madeUpToken, makeSecretsWorld } from './fixture.ts'

test('secrets of old commits are found, in files that are gone too, and the scan goes on after a restart', async () => {
  const { world, ada, bob, repo, main, row, commit, pushTo, alerts, configure } =
    await makeSecretsWorld({ push_protection: false, secret_scanning: false })
  const secret = madeUpToken()
  const bad = await commit(main, { 'old.env': `A=1\nTOKEN=${secret}\n` })
  const clean = await commit(bad, { 'old.env': 'A=1\n' })
  await pushTo('main', clean)
  await pushTo('side', await commit(main, { 'side.env': madeUpToken() }))
  await world.jobs()
  expect(await alerts()).toEqual([])
  const start = () => world.call(scanHistory, ada, { repo })
  expect((await refusal(start())).reason).toBe('not_available')
  await configure({ secret_scanning: true })
  expect((await refusal(world.call(scanHistory, bob, { repo }))).reason).toBe('role')
  expect(await start()).toMatchObject({ state: 'queued', commits: 0, finished_at: null })
  expect((await refusal(start())).reason).toBe('in_progress')
  const stopped = AbortSignal.abort()
  const { hearth } = world
  await expect(
    (async () =>
      scanHistoryJob.run(
        { hearth, signal: stopped, attempt: 1, id: 'bgj_1' },
        { repo_id: row().id },
      ))(),
  ).rejects.toThrow()
  await world.jobs()
  expect((await alerts()).map(({ type }) => type)).toEqual(['github-token', 'github-token'])
  const places = await Promise.all(
    (await alerts()).map(
      async ({ id }) => (await world.call(listSecretLocations, ada, { repo, id })).items,
    ),
  )
  expect(places.flat().toSorted((a, b) => (a.path < b.path ? -1 : 1))).toMatchObject([
    { path: 'old.env', line: 2, commit: bad, source: 'history' },
    { path: 'side.env', line: 1, source: 'history' },
  ])
  expect(hearth.db.one('SELECT state, alerts FROM secret_scans')).toEqual({
    state: 'complete',
    alerts: 2,
  })
})
