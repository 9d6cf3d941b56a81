import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { requireLive, secretProtectionOf } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { requireAlertHome } from './alert-records.ts'
import { scanHistoryJob } from './history-job.ts'
import { SecretScan } from './schema.ts'
import { scanRecord } from './scan-record.ts'
import { findScan, putScan } from './store.ts'

export const scanHistory = operation({
  name: 'scan_history',
  summary:
    'Scan the whole history of a repository for secrets, in the background. Needs admin. What it finds becomes alerts; one scan runs at a time. Answers the scan.',
  keywords: ['search old commits for keys', 'scan all commits', 'find leaked passwords'],
  route: 'POST /repos/{owner}/{name}/secret-scanning/scans',
  toolset: 'security',
  access: writesRepo('admin', { scope: 'security:write' }),
  input: Type.Object({ repo: RepoPath }),
  output: SecretScan,
  status: 202,

  handler: ({ caller, repo, write }) => {
    requireAlertHome(repo)
    return write((tx) => {
      const row = requireLive(tx.db, repo.id)
      if (!secretProtectionOf(tx.db, row).secret_scanning)
        throw conflict(
          'not_available',
          'secret scanning is off: turn it on in the settings of the repository',
        )
      const running = findScan(tx.db, repo.id)
      if (running?.state === 'queued' || running?.state === 'running')
        throw conflict('in_progress', 'a scan of this repository is under way')
      putScan(tx, { repo_id: repo.id, requested_by: caller.id, tips: '[]' })
      tx.enqueue(scanHistoryJob, { repo_id: repo.id })
      const scan = findScan(tx.db, repo.id)
      if (!scan) throw new TypeError('a scan was just stored')
      return scanRecord(scan)
    })
  },
})
