import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { advisoryRecord } from './advisory-record.ts'
import { managesAdvisories, seesDraft } from './report-record.ts'
import { ADVISORY_STATES, Advisories } from './schema.ts'
import { listAdvisoryRows } from './store-advisories.ts'

export const listAdvisories = operation({
  name: 'list_advisories',
  summary:
    'List the security advisories of a repository, newest first. Published and withdrawn ones for whoever can read it, drafts for Admins, security managers and people who are invited to them.',
  keywords: ['security advisories', 'published vulnerabilities', 'CVE'],
  route: 'GET /repos/{owner}/{name}/security/advisories',
  toolset: 'security',
  access: readsRepo({ scope: 'security:read', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    state: Type.Optional(OneOf(ADVISORY_STATES)),
    ...byPage(),
  }),
  output: Advisories,
  list: 'page',

  handler: ({ hearth, db, repo, caller }, { state, ...paging }) => {
    const window = windowOf(paging)
    const states = ADVISORY_STATES.filter((one) => state === undefined || one === state)
    const invited = caller.kind === 'user' ? caller.id : null
    const draftsOf = managesAdvisories(repo) ? 'all' : invited
    const rows = listAdvisoryRows(db, repo.id, { states, draftsOf }, window).filter(
      ({ id, state: its }) => its !== 'draft' || seesDraft(repo, id),
    )
    return pageOf(
      rows.map((row) => advisoryRecord(hearth, repo, row)),
      window,
    )
  },
})
