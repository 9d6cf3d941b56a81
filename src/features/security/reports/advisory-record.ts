/** Advisories as clients see them. */
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Advisory } from './schema.ts'
import type { AdvisoryContent, AdvisoryRow } from './store-advisories.ts'

export const contentOf = (row: AdvisoryRow): AdvisoryContent => ({
  title: row.title,
  description: row.description,
  severity: row.severity,
  cve: row.cve,
  packages: JSON.parse(row.packages) as Advisory['packages'],
  credits: JSON.parse(row.credits) as string[],
})

export const advisoryRecord = (
  hearth: Hearth,
  repo: Pick<RepoGrant, 'full_name'>,
  row: AdvisoryRow,
): Advisory => {
  const { credits, ...content } = contentOf(row)
  return {
    id: row.id,
    repo: repo.full_name,
    ...content,
    cvss: null,
    credits: [...credits],
    state: row.state,
    published_at: row.published_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    html_url: `${hearth.settings.site_url}/${repo.full_name}/security/advisories/${row.id}`,
  }
}
