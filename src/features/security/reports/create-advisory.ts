import { writesRepoAsPerson } from '#core/access.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireLive } from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { oneLine } from '#lib/one-line.ts'
import { advisoryRecord, readCvss } from './advisory-record.ts'
import { requireReport } from './report-record.ts'
import {
  Advisory,
  Credits,
  Cve,
  Cvss,
  Description,
  Packages,
  REPORT_SEVERITIES,
  ReportId,
  Title,
} from './schema.ts'
import { findAdvisory, insertAdvisory } from './store-advisories.ts'

export const createAdvisory = operation({
  name: 'create_advisory',
  summary:
    'Begin a security advisory as a draft, which only Admins and security managers see (Admin or a security manager, people only). Answers the advisory; update_advisory publishes it.',
  keywords: ['draft a security advisory', 'announce a vulnerability', 'GHSA'],
  route: 'POST /repos/{owner}/{name}/security/advisories',
  toolset: 'security',
  access: writesRepoAsPerson('admin', { scope: 'security:write', securityManager: true }),
  input: Type.Object({
    repo: RepoPath,
    title: Title,
    description: Description,
    severity: OneOf(REPORT_SEVERITIES),
    packages: Type.Optional(Packages),
    report: Type.Optional(ReportId),
    cve: Type.Optional(Cve),
    cvss: Type.Optional(Cvss),
    credits: Type.Optional(Credits),
  }),
  output: Advisory,
  status: 201,

  handler: ({ hearth, repo, caller, write }, input) =>
    write((tx) => {
      const live = requireLive(tx.db, repo.id)
      const title = oneLine(input.title, 250)
      if (title === '') throw invalid('title', 'title is required')
      const report =
        input.report === undefined ? null : requireReport(tx.db, repo, caller, input.report)
      if (report !== null && report.advisory_id !== null)
        throw conflict(
          'already_exists',
          `the report has the advisory ${report.advisory_id} already`,
        )
      const scored = readCvss(input.cvss ?? null)
      const id = typeId('adv', tx.now_ms)
      insertAdvisory(tx, {
        id,
        repo_id: repo.id,
        report_id: report?.id ?? null,
        title,
        description: input.description,
        severity: scored.severity ?? input.severity,
        cve: input.cve ?? null,
        cvss: scored.cvss,
        packages: input.packages ?? [],
        credits: input.credits ?? [],
        created_by: caller.id,
      })
      auditRepo(tx, 'security.advisory_created', live, { after: { advisory: id, title } })
      const row = findAdvisory(tx.db, id)
      if (!row) throw new TypeError('the advisory that was just added is gone')
      return advisoryRecord(hearth, repo, row)
    }),
})
