import { expect, test } from 'bun:test'
import type { SignedIn } from '#core/caller.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { getMergeQueue } from '#features/queue/get-merge-queue.ts'
import { pauseMergeQueue } from '#features/queue/pause-merge-queue.ts'
import { resumeMergeQueue } from '#features/queue/resume-merge-queue.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { updateCodeScanningAlert, updateDependencyAlert } from '#features/security/index.ts'
import { updateSecretAlert } from '#features/security/secrets/update-secret-alert.ts'
import { listSecretAlerts } from '#features/security/secrets/list-secret-alerts.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { refusal } from '../../../world.ts'
import { makeScanWorld, REPO } from '../code-scanning/fixture.ts'
import { importOsv, osv, packageLock } from '../dependencies/fixture.ts'
import { madeUpToken } from '../secrets/fixture.ts'

const repo = REPO

async function makeWorldWithRule(parameters: Record<string, unknown> = {}) {
  const forge = await makeScanWorld()
  const { world, ada, otto, mel, pull } = forge
  await world.call(updateRepo, ada, { repo, protected: false })
  await forge.configure({ require_up_to_date: false })
  await world.call(createRuleset, ada, {
    repo,
    name: 'No alerts',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
    rules: [{ type: 'security_alerts', parameters }],
  })
  return {
    ...forge,
    /** What everybody sees who reads the pull request. */
    blockers: async (number: number, as: SignedIn = otto) =>
      (await world.call(getPull, as, { repo, number })).blockers.filter(
        ({ code }) => code === 'rule',
      ),
    merge: (number: number) => world.call(mergePull, mel, { repo, number }),
    scanHead: (
      number: number,
      findings: Parameters<typeof forge.scan>[0],
      as: SignedIn = ada,
      change: object = {},
    ) =>
      forge.scan(
        findings,
        { sha: pull(number).head_sha ?? '', git_ref: `refs/pull/${number}/head`, as },
        change,
      ),
  }
}

test('an alert that a pull request adds blocks it until somebody closes it', async () => {
  const { world, ada, ready, scan, scanHead, blockers, merge, mel } = await makeWorldWithRule()
  await world.commit(REPO, 'main', { 'old.ts': 'query(y)\n' })
  await scan([{ path: 'old.ts' }])
  const number = await ready(mel, { 'new.ts': 'query(x)\nother()\n' })
  expect(await blockers(number)).toEqual([])
  await scanHead(number, [
    { path: 'old.ts' },
    { path: 'new.ts', line: 1, message: 'Attack from here' },
    { path: 'new.ts', line: 2, rule: 'small', level: 'note' },
  ])
  const [blocker] = await blockers(number)
  expect(blocker).toMatchObject({
    message: 'it has 1 open security alert of severity high or higher; fix or dismiss each',
    details: {
      type: 'security_alerts',
      count: 1,
      alerts: [{ kind: 'code', severity: 'critical' }],
    },
  })
  // The text of an alert needs more than reading.
  expect(JSON.stringify(blocker)).not.toContain('Attack')
  expect(JSON.stringify(blocker)).not.toContain('new.ts')
  expect((await refusal(merge(number))).reason).toBe('rule')
  const [alert] = (blocker?.details.alerts ?? []) as { id: string; url: string }[]
  expect(alert?.url).toContain(`/${REPO}/security/code-scanning/${alert?.id}`)
  await world.call(updateCodeScanningAlert, ada, {
    repo,
    id: alert?.id ?? '',
    state: 'dismissed',
    reason: 'used_in_tests',
  })
  expect(await blockers(number)).toEqual([])
  expect((await merge(number)).status).toBe('merged')
})

test('what an agent dismissed, and what only an agent scanned, counts as before', async () => {
  const { world, ada, mel, agent, ready, scanHead, blockers, alerts } = await makeWorldWithRule({
    tools: ['scanner'],
  })
  const bot = await agent(mel, 'coder')
  const number = await ready(mel, { 'new.ts': 'query(x)\n' })
  expect((await blockers(number))[0]).toMatchObject({
    message: 'these scanners have not finished with the newest commit: scanner',
    details: { awaited: ['scanner'] },
  })
  await scanHead(number, [{ path: 'new.ts' }])
  const [alert] = await alerts({ pull: number })
  const dismiss = (as: SignedIn) =>
    world.call(updateCodeScanningAlert, as, {
      repo,
      id: alert?.id ?? '',
      state: 'dismissed',
      reason: 'false_positive',
    })
  await dismiss(bot)
  expect((await blockers(number))[0]?.message).toContain('1 open security alert')
  await world.call(updateCodeScanningAlert, ada, { repo, id: alert?.id ?? '', state: 'open' })
  await scanHead(number, [], bot)
  expect((await blockers(number))[0]?.message).toContain('have not finished')
  await scanHead(number, [])
  expect(await blockers(number)).toEqual([])
})

test('alerts of the default branch count where the rule says so, but not those that are mended', async () => {
  const { world, mel, ready, scan, scanHead, blockers } = await makeWorldWithRule({
    of: 'repository',
    kinds: ['code'],
  })
  await world.commit(REPO, 'main', { 'old.ts': 'query(y)\n' })
  await scan([{ path: 'old.ts' }])
  const other = await ready(mel, { 'other.ts': 'x\n' })
  const mend = await ready(mel, { 'old.ts': 'safe(y)\n' })
  expect((await blockers(other))[0]?.message).toContain('1 open security alert')
  expect(await blockers(mend)).toHaveLength(1)
  await scanHead(other, [{ path: 'old.ts' }])
  await scanHead(mend, [])
  expect(await blockers(other)).toHaveLength(1)
  expect(await blockers(mend)).toEqual([])
})

test('dependencies: what is added, what is there already, and what is not compared yet', async () => {
  const { world, ada, mel, ready, fork, blockers } = await makeWorldWithRule({
    severity: 'high',
    kinds: ['dependency'],
    of: 'repository',
  })
  await world.commit(REPO, 'main', { 'package-lock.json': packageLock({ left: '1.0.0' }) })
  await importOsv(world, [
    osv('GHSA-old', 'left', '1.2.0'),
    osv('GHSA-new', 'fresh', '2.0.0'),
    osv('GHSA-low', 'small', null, { database_specific: { severity: 'LOW' } }),
  ])
  await world.jobs()
  const lock = (packages: Record<string, string>) => ({
    'package-lock.json': packageLock(packages),
  })
  const number = await ready(mel, lock({ left: '1.2.0', fresh: '1.0.0', small: '1.0.0' }))
  expect((await blockers(number))[0]?.message).toContain('it has 1 open')
  await world.jobs()
  expect((await blockers(number))[0]?.details).toMatchObject({
    count: 1,
    alerts: [{ kind: 'dependency', id: 'GHSA-new', severity: 'high' }],
  })
  await world.commit(fork(number), 'main', lock({ left: '1.2.0', small: '1.0.0' }), { as: mel })
  await world.jobs()
  expect(await blockers(number)).toEqual([])
  // One that leaves the old version is blocked by the alert of the default branch.
  const other = await ready(mel, { 'other.txt': 'x\n' })
  await world.jobs()
  const [left] = await blockers(other)
  expect(left?.details).toMatchObject({ count: 1, alerts: [{ kind: 'dependency' }] })
  const [alert] = (left?.details.alerts ?? []) as { id: string }[]
  await world.call(updateDependencyAlert, ada, {
    repo,
    id: alert?.id ?? '',
    state: 'dismissed',
    reason: 'wont_fix',
  })
  expect(await blockers(other)).toEqual([])
})

test('an open secret blocks until it is resolved, and nothing of it is told', async () => {
  const { world, ada, mel, configure, ready, blockers } = await makeWorldWithRule({
    kinds: ['secret'],
  })
  await configure({ push_protection: false })
  const { number: issue } = await world.call(createIssue, ada, { repo, title: 'A leak' })
  const secret = madeUpToken()
  await world.call(addComment, ada, { repo, number: issue, body: `Use ${secret}` })
  await world.jobs()
  const number = await ready(mel)
  const [blocker] = await blockers(number)
  expect(blocker).toMatchObject({
    message: 'it has 1 open security alert; fix or dismiss each',
    details: { alerts: [{ kind: 'secret', severity: null }] },
  })
  expect(JSON.stringify(blocker)).not.toContain(secret.slice(0, 6))
  const [alert] = (await world.call(listSecretAlerts, ada, { repo })).items
  await world.call(updateSecretAlert, ada, {
    repo,
    id: alert?.id ?? '',
    state: 'resolved',
    resolution: 'revoked',
  })
  expect(await blockers(number)).toEqual([])
})

test('auto-merge merges as soon as the last alert is closed', async () => {
  const forge = await makeWorldWithRule({
    kinds: ['secret', 'code', 'dependency'],
    of: 'repository',
  })
  const { world, ada, mel, configure, ready, scan, alerts, pull } = forge
  await configure({ auto_merge: true, push_protection: false })
  const waiting = async (files: Record<string, string>) => {
    const number = await ready(mel, files)
    await world.call(updatePull, ada, { repo, number, auto_merge: true })
    await world.jobs()
    expect(pull(number).status).toBe('open')
    return number
  }
  await world.commit(REPO, 'main', { 'old.ts': 'query(y)\n' })
  await scan([{ path: 'old.ts' }])
  const first = await waiting({ 'a.txt': 'a\n' })
  const [found] = await alerts()
  const id = found?.id ?? ''
  await world.call(updateCodeScanningAlert, ada, {
    repo,
    id,
    state: 'dismissed',
    reason: 'wont_fix',
  })
  await world.jobs()
  expect(pull(first).status).toBe('merged')

  const { number: issue } = await world.call(createIssue, ada, { repo, title: 'A leak' })
  await world.call(addComment, ada, { repo, number: issue, body: `Use ${madeUpToken()}` })
  await world.jobs()
  const second = await waiting({ 'b.txt': 'b\n' })
  const [leak] = (await world.call(listSecretAlerts, ada, { repo })).items
  await world.call(updateSecretAlert, ada, {
    repo,
    id: leak?.id ?? '',
    state: 'resolved',
    resolution: 'revoked',
  })
  await world.jobs()
  expect(pull(second).status).toBe('merged')

  await world.commit(REPO, 'main', { 'package-lock.json': packageLock({ left: '1.0.0' }) })
  await importOsv(world, [osv('GHSA-old', 'left', '1.2.0')])
  const third = await waiting({ 'c.txt': 'c\n' })
  await world.commit(REPO, 'main', { 'package-lock.json': packageLock({ left: '1.2.0' }) })
  await world.jobs()
  expect(pull(third).status).toBe('merged')
  // No timeline tells strangers of the alerts.
  const told = world.hearth.db.all('SELECT type FROM events').map((row) => JSON.stringify(row))
  expect(told.filter((one) => /standing_alerts|dismissed/.test(one))).toEqual([])
})

test('an alert that is found while a pull request is queued takes it out of the queue', async () => {
  const { world, ada, mel, configure, ready, merge, scanHead, pull } = await makeWorldWithRule()
  await configure({ merge_queue: true })
  const number = await ready(mel, { 'new.ts': 'query(x)\n' })
  await world.call(pauseMergeQueue, ada, { repo, reason: 'Wait' })
  await merge(number)
  await scanHead(number, [{ path: 'new.ts' }])
  await world.call(resumeMergeQueue, ada, { repo })
  await world.jobs()
  const { waiting, recent } = await world.call(getMergeQueue, ada, { repo })
  expect([waiting.length, recent.map((one) => [one.pull.number, one.state])]).toEqual([
    0,
    [[number, 'removed']],
  ])
  expect(pull(number).status).toBe('open')
})
