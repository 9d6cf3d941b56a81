import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { requireRepo, settingsOf } from '#features/repos/index.ts'
import { managesAdvisories, seesReports } from '../reports/report-record.ts'
import { countNewReports } from '../reports/store-reports.ts'
import { SecurityOverview } from './schema.ts'
import { countAlerts } from './store.ts'
import { listWeeks } from './store-trend.ts'
import { TREND_WEEKS, trendStart } from './trend.ts'

/** What counts as recent. */
const TREND_MS = 30 * DAY

export const getSecurityOverview = operation({
  name: 'get_security_overview',
  summary: 'The numbers of open security findings of a repository, for its page.',
  route: null,
  access: readsRepo({ scope: 'security:read', securityManager: true }),
  input: Type.Object({ repo: RepoPath }),
  output: SecurityOverview,

  handler: ({ db, repo, now_ms }) => {
    const canSeeFindings = seesReports(repo)
    const canSeeSecrets = repo.can('admin') || repo.isSecurityManager()
    const since = timestamp(now_ms - TREND_MS)
    const kinds = [
      ...(canSeeFindings ? (['code', 'dependency'] as const) : []),
      ...(canSeeSecrets ? (['secret'] as const) : []),
    ]
    return {
      can_see_findings: canSeeFindings,
      can_see_secrets: canSeeSecrets,
      can_manage_advisories: managesAdvisories(repo),
      takes_reports: settingsOf(requireRepo(db, repo.id)).vulnerability_reporting,
      new_reports: canSeeFindings ? countNewReports(db, repo.id) : null,
      findings: kinds.map((kind) => countAlerts(db, kind, repo.id, since)),
      weeks: listWeeks(db, { repo_id: repo.id }, kinds, {
        since: trendStart(now_ms),
        weeks: TREND_WEEKS,
      }),
    }
  },
})
