import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Type } from '#core/schema.ts'
import { requireRepo, secretProtectionOf } from '#features/repos/index.ts'
import { requireAlertHome } from './alert-records.ts'
import { scanRecord } from './scan-record.ts'
import { SecretScan } from './schema.ts'
import { findScan } from './store.ts'

export const getSecretScanning = operation({
  name: 'get_secret_scanning',
  summary: 'Whether a repository is scanned for secrets, and its last scan of old commits.',
  route: null,
  access: readsRepoAs('admin', { scope: 'security:read', securityManager: true }),
  input: Type.Object({ repo: RepoPath }),
  output: Type.Object({
    push_protection: Type.Boolean(),
    secret_scanning: Type.Boolean(),
    required: Type.Object(
      { push_protection: Type.Boolean(), secret_scanning: Type.Boolean() },
      { description: 'What the workspace requires of all repositories.' },
    ),
    scan: Nullable(SecretScan),
  }),

  handler: ({ db, repo }) => {
    requireAlertHome(repo)
    const protection = secretProtectionOf(db, requireRepo(db, repo.id))
    const scan = findScan(db, repo.id)
    return { ...protection, scan: scan && scanRecord(scan) }
  },
})
