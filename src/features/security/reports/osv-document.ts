/**
 * A published advisory in the format of OSV (https://ossf.github.io/osv-schema/), which scanners and
 * other forges read.
 */
import { readAffectedRanges } from '#lib/advisories/affected-ranges.ts'
import { ecosystemOf, osvNameOf } from '#lib/advisories/osv.ts'
import type { Advisory } from './schema.ts'

const SCHEMA_VERSION = '1.6.0'

function affectedBy({ type, name, vulnerable, patched }: Advisory['packages'][number]) {
  const ecosystem = ecosystemOf(type)
  const affected = readAffectedRanges(vulnerable, patched)
  // The format has no free text for versions, so what cannot be read is left out.
  if (ecosystem === null || affected === null) return []
  return [
    {
      package: { ecosystem: osvNameOf(ecosystem), name },
      ranges: affected.ranges.map((events) => ({
        type: 'ECOSYSTEM',
        events: events.map(([kind, version]) => ({ [kind]: version })),
      })),
      versions: affected.versions,
    },
  ]
}

const severityOf = (cvss: string) => [
  { type: cvss.startsWith('CVSS:4') ? 'CVSS_V4' : 'CVSS_V3', score: cvss },
]

export const osvDocument = (advisory: Advisory) => ({
  schema_version: SCHEMA_VERSION,
  id: advisory.id,
  modified: advisory.updated_at,
  published: advisory.published_at ?? advisory.created_at,
  ...(advisory.state === 'withdrawn' && { withdrawn: advisory.updated_at }),
  ...(advisory.cve !== null && { aliases: [advisory.cve] }),
  summary: advisory.title,
  details: advisory.description,
  ...(advisory.cvss !== null && { severity: severityOf(advisory.cvss) }),
  affected: advisory.packages.flatMap(affectedBy),
  references: [{ type: 'ADVISORY', url: advisory.html_url }],
  ...(advisory.credits.length > 0 && {
    credits: advisory.credits.map((name) => ({ name, type: 'FINDER' })),
  }),
  database_specific: { severity: advisory.severity.toUpperCase() },
})
