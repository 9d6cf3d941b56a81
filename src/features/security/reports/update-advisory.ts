import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, RepoPath, Type } from '#core/schema.ts'
import { requireLive } from '#features/repos/index.ts'
import { conflict, invalid, notFound } from '#lib/errors.ts'
import { oneLine } from '#lib/one-line.ts'
import { advisoryRecord, contentOf, readCvss } from './advisory-record.ts'
import { announceAdvisory, auditState } from './publish-advisory.ts'
import {
  ADVISORY_STATES,
  Advisory,
  AdvisoryId,
  Credits,
  Cve,
  Cvss,
  Description,
  Packages,
  REPORT_SEVERITIES,
  Title,
  type AdvisoryState,
} from './schema.ts'
import { findAdvisory, setAdvisory } from './store-advisories.ts'

/** What was published stays known, so an advisory never becomes a draft again. */
function requireTransition(from: AdvisoryState, to: AdvisoryState): void {
  if (from !== 'draft' && to === 'draft')
    throw conflict('released', 'this advisory was published: withdraw it instead')
  if (from === 'draft' && to === 'withdrawn')
    throw conflict('not_open', 'a draft cannot be withdrawn, because nobody knows it yet')
}

export const updateAdvisory = operation({
  name: 'update_advisory',
  summary:
    'Change, publish or withdraw a security advisory (Admin or a security manager, people only). Published ones are seen by whoever can read the repository. Answers the advisory.',
  keywords: ['publish an advisory', 'withdraw an advisory', 'edit an advisory'],
  route: 'PATCH /repos/{owner}/{name}/security/advisories/{id}',
  toolset: 'security',
  access: writesRepoAsPerson('admin', { scope: 'security:write', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    id: AdvisoryId,
    title: Type.Optional(Title),
    description: Type.Optional(Description),
    severity: Type.Optional(OneOf(REPORT_SEVERITIES)),
    packages: Type.Optional(Packages),
    state: Type.Optional(OneOf(ADVISORY_STATES)),
    cve: Type.Optional(Nullable(Cve)),
    cvss: Type.Optional(Nullable(Cvss)),
    credits: Type.Optional(Credits),
  }),
  output: Advisory,
  annotations: { idempotent: true },

  handler: ({ hearth, repo, write }, { id, title, state, repo: _, ...change }) =>
    write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const row = findAdvisory(tx.db, id)
      if (row?.repo_id !== repo.id) throw notFound(`the advisory ${id}`)
      const next = state ?? row.state
      requireTransition(row.state, next)
      const line = title === undefined ? row.title : oneLine(title, 250)
      if (line === '') throw invalid('title', 'title is required')
      const given = Object.fromEntries(
        Object.entries(change).filter(([, value]) => value !== undefined),
      )
      const before = contentOf(row)
      // With a vector the severity is that of its score, whatever is given beside it.
      const scored = readCvss(change.cvss === undefined ? before.cvss : change.cvss)
      setAdvisory(tx, row.id, { ...before, ...given, ...scored, title: line, state: next })
      auditState(tx, live, row, next)
      const changed = announceAdvisory(tx, live, row)
      return advisoryRecord(hearth, repo, changed)
    }),
})
