/** Advisories as clients see them. */
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { cvssScore, severityOfScore } from '#lib/advisories/cvss.ts'
import { invalid } from '#lib/errors.ts'
import { forkName, forkRemote } from '../forks/fork.ts'
import { findFork } from '../forks/store-forks.ts'
import type { Advisory, ReportSeverity } from './schema.ts'
import type { AdvisoryContent, AdvisoryRow } from './store-advisories.ts'

export const contentOf = (row: AdvisoryRow): AdvisoryContent => ({
  title: row.title,
  description: row.description,
  severity: row.severity,
  cve: row.cve,
  cvss: row.cvss,
  packages: JSON.parse(row.packages) as Advisory['packages'],
  credits: JSON.parse(row.credits) as string[],
})

export const advisoryRecord = (
  hearth: Hearth,
  repo: Pick<RepoGrant, 'full_name' | 'worksOnAdvisory'>,
  row: AdvisoryRow,
): Advisory => {
  const { credits, ...content } = contentOf(row)
  return {
    id: row.id,
    repo: repo.full_name,
    ...content,
    cvss_score: row.cvss === null ? null : cvssScore(row.cvss),
    credits: [...credits],
    fork: forkOf(hearth, repo, row.id),
    state: row.state,
    published_at: row.published_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    html_url: `${hearth.settings.site_url}/${repo.full_name}/security/advisories/${row.id}`,
  }
}

/** The private fork, for those who may use it. */
const forkOf = (
  hearth: Hearth,
  { full_name, worksOnAdvisory }: Pick<RepoGrant, 'full_name' | 'worksOnAdvisory'>,
  id: string,
): Advisory['fork'] =>
  worksOnAdvisory(id) && findFork(hearth.db, id)
    ? { full_name: forkName(full_name, id), remote: forkRemote(hearth, full_name, id) }
    : null

/** The vector, and the severity that follows from it. Throws 422 for a vector that has no score. */
export function readCvss(vector: string | null): {
  cvss: string | null
  severity?: ReportSeverity
} {
  const cvss = vector?.trim() || null
  if (cvss === null) return { cvss: null }
  const score = cvssScore(cvss)
  if (score === null)
    throw invalid(
      'cvss',
      'cvss must be a vector of CVSS 3.0, 3.1 or 4.0 with all base metrics, such as CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    )
  return { cvss, severity: severityOfScore(score) }
}
