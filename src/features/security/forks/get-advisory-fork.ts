import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { AdvisoryId } from '../reports/schema.ts'
import { forkRecord } from './fork-record.ts'
import { requireFork } from './fork.ts'
import { AdvisoryFork } from './schema.ts'

export const getAdvisoryFork = operation({
  name: 'get_advisory_fork',
  summary:
    'Get the private fork of an advisory with its branches. For Admins, security managers and people who are invited to the advisory.',
  keywords: ['temporary private fork', 'branches of a private fork'],
  route: 'GET /repos/{owner}/{name}/security/advisories/{id}/fork',
  toolset: 'security',
  access: readsRepoAs('read', {
    scope: 'security:read',
    person: true,
    securityManager: true,
    advisoryWork: true,
  }),
  input: Type.Object({ repo: RepoPath, id: AdvisoryId }),
  output: AdvisoryFork,

  handler: ({ hearth, db, repo }, { id }) => forkRecord(hearth, repo, requireFork(db, repo, id)),
})
