// Packages of the default branch with known vulnerabilities.
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ADVISORY_SEVERITIES,
  DEPENDENCY_ALERT_STATES,
  ECOSYSTEM_NAMES,
  getSecurityOverview,
  listDependencyAlerts,
  type AdvisorySeverity,
  type DependencyAlert,
  type DependencyAlertState,
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
import { page, type Visit } from '../../site.ts'
import { rich, t } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { AlertFilters, alertsHref } from './alert-filters.tsx'
import { SecurityFrame, securityPath } from './frame.tsx'
import { SeverityChip } from './severity.tsx'
import { pageNumber } from '../../page-number.ts'

type Shown = {
  readonly repo: Repo
  readonly alerts: readonly DependencyAlert[]
  readonly page: number
  readonly next: string | null
  readonly state: DependencyAlertState
  readonly severity: AdvisorySeverity | null
  /** Whether advisories were ever compared with this repository. */
  readonly isCompared: boolean
}

export const dependencyAlertsPath = (repo: string, rest = ''): string =>
  securityPath(repo, `/dependency-alerts${rest}`)

const IMPORT_COMMAND = 'hearth advisories import all.zip'

/** What to do about an alert, in one line. */
export const wayOut = ({ package: { name }, fixed_in }: DependencyAlert): string =>
  fixed_in === null
    ? t('No version of {name} fixes this yet', { name })
    : t('Update {name} to {version} or later', { name, version: fixed_in })

const AlertRow = ({ visit, repo, alert }: { visit: Visit; repo: Repo; alert: DependencyAlert }) => (
  <Row
    mark={<Icon name={alert.state === 'open' ? 'warning' : 'check-circle'} />}
    title={
      <a class="row-link" href={dependencyAlertsPath(repo.full_name, `/${alert.id}`)}>
        {alert.advisory.summary}
      </a>
    }
    meta={
      <>
        <span>
          <code>
            {alert.package.name} {alert.package.version}
          </code>
        </span>
        <span>{ECOSYSTEM_NAMES[alert.package.type]}</span>
        <span>
          <code>{alert.manifest}</code>
        </span>
        <span>
          {rich('found {at}', {
            at: <RelativeTime at={alert.created_at} now={visit.hearth.clock.now()} />,
          })}
        </span>
      </>
    }
    end={alert.advisory.severity && <SeverityChip severity={alert.advisory.severity} />}
  >
    <p class="row-text">{wayOut(alert)}</p>
  </Row>
)

const NoAlerts = ({ isCompared }: { isCompared: boolean }) =>
  isCompared ? (
    <EmptyState icon="shield" title={t('No alerts')}>
      {t('No package of the default branch has a known vulnerability of this kind.')}
    </EmptyState>
  ) : (
    <EmptyState icon="shield" title={t('Not compared yet')}>
      <p>
        {rich(
          'Dependencies are compared with advisories in the format of OSV. Whoever runs this site imports them on the server, without the network. <a>Where to get advisories</a>',
          { a: (inner) => <a href="/docs/dependencies#user-content-advisories">{inner}</a> },
        )}
      </p>
      <Commands label={t('Copy the command')}>{IMPORT_COMMAND}</Commands>
    </EmptyState>
  )

const AlertsView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { repo, alerts } = shown
  const at = alertsHref(dependencyAlertsPath(repo.full_name), shown)
  return (
    <SecurityFrame
      visit={visit}
      repo={repo}
      title={t('Dependency alerts')}
      current="dependency-alerts"
      seesFindings
    >
      <PageHead
        title={t('Dependency alerts')}
        lead={rich('Packages with known vulnerabilities on {branch}.', {
          branch: <code>{repo.default_branch}</code>,
        })}
      />
      <AlertFilters
        at={at}
        states={DEPENDENCY_ALERT_STATES}
        severities={ADVISORY_SEVERITIES.toReversed()}
        current={shown}
      />
      {alerts.length === 0 ? (
        <NoAlerts isCompared={shown.isCompared} />
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

export const dependencyAlertsPage = page({
  path: '/:workspace/:repo/security/dependency-alerts',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const { searchParams } = visit.url
    const page = pageNumber(visit)
    const state = DEPENDENCY_ALERT_STATES.find((one) => one === searchParams.get('state')) ?? 'open'
    const severity = ADVISORY_SEVERITIES.find((one) => one === searchParams.get('severity')) ?? null
    const { items, next } = await visit.call(listDependencyAlerts, {
      repo: repo.full_name,
      state,
      severity: severity ?? undefined,
      page,
    })
    const { findings } = await visit.call(getSecurityOverview, { repo: repo.full_name })
    const isCompared = findings.some(({ kind, is_used }) => kind === 'dependency' && is_used)
    return { repo, alerts: items, page, next, state, severity, isCompared }
  },
  view: (shown, visit) => <AlertsView visit={visit} {...shown} />,
})
