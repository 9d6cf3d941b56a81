import { expect, test } from 'bun:test'
import { getAdvisoryFork } from '#features/security/forks/get-advisory-fork.ts'
import { getAdvisory } from '#features/security/reports/get-advisory.ts'
import { listAdvisories } from '#features/security/reports/list-advisories.ts'
import { refusal, withToken } from '../../../world.ts'
import { makeForkWorld, REPO } from './fixture.ts'

test('the fork and its draft are for those who work on it, and missing for everybody else', async () => {
  const { world, ada, mel, rita, eve, ivy, id, open, invite } = await makeForkWorld()
  expect((await refusal(world.call(getAdvisoryFork, ada, { repo: REPO, id }))).status).toBe(404)
  await open()
  await invite('ivy')
  expect(await world.call(getAdvisoryFork, ada, { repo: REPO, id })).toMatchObject({
    state: 'ready',
    problem: null,
    merged: null,
    created_by: { username: 'ada' },
  })
  const seen = (who: typeof ada) => world.call(getAdvisoryFork, who, { repo: REPO, id })
  expect((await seen(ivy)).branches).toEqual([])
  expect((await world.call(getAdvisory, ivy, { repo: REPO, id })).state).toBe('draft')
  expect((await world.call(listAdvisories, ivy, { repo: REPO })).items).toHaveLength(1)
  for (const who of [mel, rita, eve]) {
    expect((await refusal(seen(who))).status).toBe(404)
    expect((await refusal(world.call(getAdvisory, who, { repo: REPO, id }))).status).toBe(404)
    expect((await world.call(listAdvisories, who, { repo: REPO })).items).toEqual([])
  }
  // A token of an invited person that does not reach the repository sees none of it.
  const narrow = withToken(ivy, { repos: ['rep_00000000000000000000000000'] })
  expect((await refusal(seen(narrow))).status).toBe(404)
  expect((await world.call(listAdvisories, narrow, { repo: REPO })).items).toEqual([])
})
