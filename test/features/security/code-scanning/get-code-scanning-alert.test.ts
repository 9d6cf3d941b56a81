import { expect, test } from 'bun:test'
import { setSecurityManager } from '#features/security/managers/set-security-manager.ts'
import { getCodeScanningAlert } from '#features/security/code-scanning/get-code-scanning-alert.ts'
import { getCodeScanningAnalysis } from '#features/security/code-scanning/get-code-scanning-analysis.ts'
import { listCodeScanningAlerts } from '#features/security/code-scanning/list-code-scanning-alerts.ts'
import { listCodeScanningAnalyses } from '#features/security/code-scanning/list-code-scanning-analyses.ts'
import { updateCodeScanningAlert } from '#features/security/code-scanning/update-code-scanning-alert.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { refusal } from '../../../world.ts'
import { makeScanWorld, REPO } from './fixture.ts'

test('an alert lists the refs that have it, the newest analysis first', async () => {
  const { world, scan, alerts, alert, ref } = await makeScanWorld()
  await scan([{ path: 'a.txt', line: 2 }])
  await world.commit(REPO, 'topic', { 'a.txt': 'top\nline 1\nline 2\nline 3\n' })
  await scan([{ path: 'a.txt', line: 2 }], { category: 'nightly' })
  const [{ id } = { id: '' }] = await alerts()
  expect((await alert(id)).instances).toMatchObject([
    { ref: 'refs/heads/main', category: 'nightly', path: 'a.txt', start_line: 2, state: 'open' },
    { ref: 'refs/heads/main', category: '', commit_sha: ref('main') },
  ])
})

test('readers see nothing; security managers read and dismiss without a role; other repositories have no such alert', async () => {
  const { world, ada, otto, max, scan, alerts } = await makeScanWorld()
  await world.repo('acme/other', { as: ada })
  await scan([{ path: 'a.txt', line: 2 }])
  const [{ id } = { id: '' }] = await alerts()
  const { items } = await world.call(listCodeScanningAnalyses, ada, { repo: REPO })
  const analysis = items[0]?.id ?? ''
  const reads = (who: typeof ada, repo = REPO) => [
    () => world.call(listCodeScanningAlerts, who, { repo }),
    () => world.call(listCodeScanningAnalyses, who, { repo }),
    () => world.call(getCodeScanningAlert, who, { repo, id }),
    () => world.call(getCodeScanningAnalysis, who, { repo, id: analysis }),
  ]
  for (const read of reads(otto)) expect((await refusal(read())).status).toBe(403)
  for (const read of reads(ada, 'acme/other').slice(2))
    expect((await refusal(read())).status).toBe(404)
  await world.call(createTeam, ada, { workspace: 'acme', name: 'Security' })
  await world.call(setTeamMember, ada, { workspace: 'acme', team: 'security', username: 'max' })
  await world.call(setSecurityManager, ada, { workspace: 'acme', team: 'security' })
  for (const read of reads(max)) expect(await read()).toBeObject()
  expect(
    await world.call(updateCodeScanningAlert, max, {
      repo: REPO,
      id,
      state: 'dismissed',
      reason: 'false_positive',
    }),
  ).toMatchObject({ state: 'dismissed', dismissed_by: { username: 'max' } })
})
