/** What `dotnet restore` and `dotnet list package --vulnerable` compare with: all advisories at once. */
import type { Hearth } from '#core/hearth.ts'
import { intervalsOf, nugetRange } from '#lib/advisories/intervals.ts'
import { jsonResponse } from '../../door/door-response.ts'
import { allAdvisories } from '../audits.ts'

/** https://learn.microsoft.com/nuget/api/vulnerability-info */
const SEVERITIES = { low: 0, medium: 1, high: 2, critical: 3 } as const
const UNKNOWN_SEVERITY = 1

/** The pages: one with everything. */
export function vulnerabilityIndex(hearth: Hearth, base: string): Response {
  const times = allAdvisories(hearth, 'nuget').map(({ modified }) => modified)
  const newest = times.sort().at(-1) ?? '2000-01-01T00:00:00.000Z'
  return jsonResponse([
    {
      '@name': 'base',
      '@id': `${base}/v3/vulnerabilities/base.json`,
      '@updated': newest,
      comment: 'All advisories that were imported.',
    },
  ])
}

export function vulnerabilityPage(hearth: Hearth): Response {
  const page: Record<string, unknown[]> = {}
  for (const { name, id, url, severity, affected } of allAdvisories(hearth, 'nuget'))
    for (const interval of intervalsOf('nuget', affected))
      (page[name] ??= []).push({
        url: url ?? `https://osv.dev/vulnerability/${id}`,
        severity: severity === null ? UNKNOWN_SEVERITY : SEVERITIES[severity],
        versions: nugetRange(interval),
      })
  return jsonResponse(page)
}
