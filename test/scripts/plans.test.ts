import { expect, test } from 'bun:test'
import { listSiteAuditLog } from '#features/audit/index.ts'
import { listNotifications, listWorkspaceEvents } from '#features/notifications/index.ts'
import { getContributions, listWaiting } from '#features/overview/index.ts'
import { listRepos } from '#features/repos/profile/list-repos.ts'
import { listUserRepos } from '#features/repos/profile/list-user-repos.ts'
import { exploreRepos } from '#features/search/index.ts'
import { getSiteStatus, getUsage, listAllWorkspaces, listJobsQueue } from '#features/site/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { plansOf, wholeTables } from '../../scripts/bench/forge/plans.ts'
import { makeWorld } from '../world.ts'

const world = await makeWorld()
const root = await world.user('root', { site_admin: true })
await world.workspace('acme', { owner: root })
await world.repo('acme/site', { as: root })

/** In the order of an index, and only until there are enough. */
const IN_ORDER = /^SCAN (repos USING INDEX repos_by_(push|update)|audit_log$|jobs$|workspaces$|w$)/
/** Once after the clock was set back. */
const BY_CLOCK = /^SCAN jobs USING INDEX jobs_due$/
/** Counted whole, from an index that holds nothing but what is counted. */
const COUNTED =
  /^SCAN (users|repos|jobs|a|w) USING COVERING INDEX|^SCAN (users|workspaces|notification_work|search_marks|backups|webhook_deliveries USING COVERING INDEX \w+)$/

const scans = async (run: () => Promise<unknown>): Promise<string[]> =>
  (await plansOf(world.hearth, run)).flatMap((plan) =>
    wholeTables(plan)
      .filter((step) => !IN_ORDER.test(step) && !COUNTED.test(step) && !BY_CLOCK.test(step))
      .map((step) => `${step}: ${plan.sql}`),
  )

test('what is asked all the time reads no table whole', async () => {
  expect(await scans(() => world.call(listRepos, root, {}))).toEqual([])
  expect(await scans(() => world.call(exploreRepos, root, {}))).toEqual([])
  expect(await scans(() => world.call(getWorkspace, root, { workspace: 'acme' }))).toEqual([])
  expect(await scans(() => world.call(listNotifications, root, { reason: 'mention' }))).toEqual([])
  expect(await scans(() => world.call(getUsage, root, { workspace: 'acme' }))).toEqual([])
  expect(await scans(() => world.call(getContributions, root, { username: 'root' }))).toEqual([])
  expect(await scans(() => world.call(listWaiting, root, {}))).toEqual([])
  expect(await scans(() => world.call(listUserRepos, root, { username: 'root' }))).toEqual([])
  expect(await scans(() => world.call(listWorkspaceEvents, root, { workspace: 'acme' }))).toEqual(
    [],
  )
})

test('nor do the pages of whoever keeps the site', async () => {
  expect(await scans(() => world.call(getSiteStatus, root, {}))).toEqual([])
  expect(await scans(() => world.call(listAllWorkspaces, root, {}))).toEqual([])
  expect(await scans(() => world.call(listJobsQueue, root, { state: 'failed' }))).toEqual([])
  for (const action of ['token.created', 'token.'])
    expect(await scans(() => world.call(listSiteAuditLog, root, { action }))).toEqual([])
})

test('a question without an index is found', async () => {
  const plans = await plansOf(world.hearth, async () =>
    world.hearth.db.all('SELECT id FROM comments WHERE body = ?', 'x'),
  )
  expect(plans.flatMap(wholeTables)).toEqual(['SCAN comments'])
})
