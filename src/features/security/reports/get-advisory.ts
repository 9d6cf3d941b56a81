import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { advisoryRecord } from './advisory-record.ts'
import { seesDraft } from './report-record.ts'
import { Advisory, AdvisoryId } from './schema.ts'
import { findAdvisory } from './store-advisories.ts'

export const getAdvisory = operation({
  name: 'get_advisory',
  summary:
    'One security advisory, for its page. Drafts are for Admins, security managers and people who are invited to them.',
  route: null,
  access: readsRepo({ scope: 'security:read', securityManager: true }),
  input: Type.Object({ repo: RepoPath, id: AdvisoryId }),
  output: Advisory,

  handler: ({ hearth, db, repo }, { id }) => {
    const row = findAdvisory(db, id)
    if (row?.repo_id !== repo.id || (row.state === 'draft' && !seesDraft(repo, id)))
      throw notFound(`the advisory ${id}`)
    return advisoryRecord(hearth, repo, row)
  },
})
