import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { AdvisoryId } from '../reports/schema.ts'
import { collaboratorRecord } from './collaborator-record.ts'
import { requireAdvisory } from './fork.ts'
import { AdvisoryCollaborators } from './schema.ts'
import { listCollaboratorRows } from './store-collaborators.ts'

const SIZES = { size: 100, max: 100 }

export const listAdvisoryCollaborators = operation({
  name: 'list_advisory_collaborators',
  summary:
    'List the people who are invited to work on an advisory, besides Admins and security managers. For all of these.',
  keywords: ['who sees a draft advisory', 'collaborators of an advisory'],
  route: 'GET /repos/{owner}/{name}/security/advisories/{id}/collaborators',
  toolset: 'security',
  access: readsRepoAs('read', {
    scope: 'security:read',
    person: true,
    securityManager: true,
    advisoryWork: true,
  }),
  input: Type.Object({ repo: RepoPath, id: AdvisoryId, ...byPage(SIZES) }),
  output: AdvisoryCollaborators,
  list: 'page',

  handler: ({ hearth, db, repo }, { id, ...paging }) => {
    const window = windowOf(paging, SIZES)
    const rows = listCollaboratorRows(db, requireAdvisory(db, repo, id).id)
    return pageOf(
      rows
        .slice(window.offset, window.offset + window.limit + 1)
        .map((row) => collaboratorRecord(hearth, row)),
      window,
    )
  },
})
