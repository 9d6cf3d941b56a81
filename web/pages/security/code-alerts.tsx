// The alerts of scanners.
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  CODE_ALERT_STATES,
  listCodeScanningAlerts,
  SEVERITIES,
  type CodeAlert,
  type CodeAlertState,
  type Severity,
} from '#features/security/index.ts'
import {
  Commands,
  EmptyState,
  Icon,
  List,
  PageHead,
  Pager,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { codeAlertsPath } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { page, type Visit } from '../../site.ts'
import { rich, t } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { AlertFilters, alertsHref } from './alert-filters.tsx'
import { SecurityFrame } from './frame.tsx'
import { UPLOAD_STEPS } from './upload-steps.ts'
import { SeverityChip } from './severity.tsx'

type Shown = {
  readonly repo: Repo
  readonly alerts: readonly CodeAlert[]
  readonly page: number
  readonly next: string | null
  readonly state: CodeAlertState
  readonly severity: Severity | null
}

const AlertRow = ({ visit, repo, alert }: { visit: Visit; repo: Repo; alert: CodeAlert }) => (
  <Row
    mark={<Icon name={alert.state === 'open' ? 'warning' : 'check-circle'} />}
    title={
      <a class="row-link" href={codeAlertsPath(repo.full_name, `/${alert.id}`)}>
        {alert.rule.name ?? alert.rule.id}
      </a>
    }
    meta={
      <>
        <span>#{alert.number}</span>
        <span>
          <code>
            {alert.path}
            {alert.start_line !== null && `:${alert.start_line}`}
          </code>
        </span>
        <span>{alert.tool}</span>
        <span>
          {rich('found {at}', {
            at: <RelativeTime at={alert.first_seen_at} now={visit.hearth.clock.now()} />,
          })}
        </span>
      </>
    }
    end={<SeverityChip severity={alert.severity} />}
  >
    <p class="row-text">{alert.message.slice(0, 200)}</p>
  </Row>
)

const AlertsView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { repo, alerts } = shown
  const at = alertsHref(codeAlertsPath(repo.full_name), shown)
  return (
    <SecurityFrame
      visit={visit}
      repo={repo}
      title={t('Code scanning')}
      current="code-scanning"
      seesFindings
    >
      <PageHead
        title={t('Code scanning')}
        lead={rich('What scanners found on {branch}.', {
          branch: <code>{repo.default_branch}</code>,
        })}
      />
      <AlertFilters at={at} states={CODE_ALERT_STATES} severities={SEVERITIES} current={shown} />
      {alerts.length === 0 ? (
        <EmptyState icon="shield" title={t('No alerts')}>
          <p>
            {t(
              'Scanners upload their results as SARIF. In a workflow, a scan and two lines are enough:',
            )}
          </p>
          <Commands label={t('Copy the steps')}>{UPLOAD_STEPS}</Commands>
        </EmptyState>
      ) : (
        <List label={t('Alerts')}>
          {alerts.map((alert) => (
            <AlertRow visit={visit} repo={repo} alert={alert} />
          ))}
        </List>
      )}
      <Pager
        newer={shown.page > 1 ? at({ page: shown.page - 1 }) : null}
        older={shown.next === null ? null : at({ page: shown.page + 1 })}
        label={t('Alerts')}
      />
    </SecurityFrame>
  )
}

export const codeAlertsPage = page({
  path: '/:workspace/:repo/security/code-scanning',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const { searchParams } = visit.url
    const page = pageNumber(visit)
    const state = CODE_ALERT_STATES.find((one) => one === searchParams.get('state')) ?? 'open'
    const severity = SEVERITIES.find((one) => one === searchParams.get('severity')) ?? null
    const { items, next } = await visit.call(listCodeScanningAlerts, {
      repo: repo.full_name,
      state,
      severity: severity ?? undefined,
      page,
    })
    return { repo, alerts: items, page, next, state, severity }
  },
  view: (shown, visit) => <AlertsView visit={visit} {...shown} />,
})
