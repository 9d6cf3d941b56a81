// What is open in a repository, by kind, and the first step for what is not set up.
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  getSecurityOverview,
  type FindingCounts,
  type SecurityOverview,
} from '#features/security/index.ts'
import {
  EmptyState,
  Icon,
  LinkButton,
  List,
  PageHead,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { page, type Visit } from '../../site.ts'
import { rich, t, texts, tn } from '../../text.ts'
import { loadSecurityPolicy, type SecurityPolicy } from '../issues/template-load.ts'
import { repoOf } from '../repos/frame.tsx'
import { SecurityFrame, securityPath } from './frame.tsx'
import { PolicyCard } from './policy.tsx'
import { TrendCard } from './trend.tsx'

type Shown = {
  readonly repo: Repo
  readonly overview: SecurityOverview
  readonly policy: SecurityPolicy | null
}

const KINDS = texts({ code: 'Code scanning', secret: 'Secrets', dependency: 'Dependency alerts' })
const PATHS = {
  code: '/code-scanning',
  secret: '/secrets',
  dependency: '/dependency-alerts',
} as const

/** A check mark only says that something was looked at and is in order. */
const markOf = ({ is_used, open }: FindingCounts) => {
  if (!is_used) return 'info'
  return open > 0 ? 'warning' : 'check-circle'
}

const CountsRow = ({
  visit,
  repo,
  counts,
}: {
  visit: Visit
  repo: Repo
  counts: FindingCounts
}) => (
  <Row
    mark={<Icon name={markOf(counts)} />}
    title={
      <a class="row-link" href={securityPath(repo.full_name, PATHS[counts.kind])}>
        {KINDS[counts.kind]}
      </a>
    }
    meta={
      counts.is_used ? (
        <>
          <span>{tn('{count} open alert', '{count} open alerts', counts.open)}</span>
          {counts.critical > 0 && <span>{t('{count} critical', { count: counts.critical })}</span>}
          {counts.high > 0 && <span>{t('{count} high', { count: counts.high })}</span>}
          {counts.oldest_at !== null && (
            <span>
              {rich('oldest from {at}', {
                at: <RelativeTime at={counts.oldest_at} now={visit.hearth.clock.now()} />,
              })}
            </span>
          )}
          <span>
            {t('last 30 days: {opened} opened, {closed} closed', {
              opened: counts.opened,
              closed: counts.closed,
            })}
          </span>
        </>
      ) : (
        <span>{t('Nothing was checked yet.')}</span>
      )
    }
  />
)

const OverviewView = ({ visit, repo, overview, policy }: Shown & { visit: Visit }): Html => (
  <SecurityFrame
    visit={visit}
    repo={repo}
    title={t('Security')}
    current="overview"
    seesFindings={overview.can_see_findings}
    seesSecrets={overview.can_see_secrets}
  >
    <PageHead
      title={t('Security')}
      lead={t('Known problems of this repository, by kind.')}
      actions={
        overview.takes_reports && (
          <LinkButton href={securityPath(repo.full_name, '/reports/new')}>
            {t('Report a vulnerability')}
          </LinkButton>
        )
      }
    />
    {overview.can_see_findings ? (
      <List label={t('Findings')}>
        {overview.findings.map((counts) => (
          <CountsRow visit={visit} repo={repo} counts={counts} />
        ))}
        <Row
          mark={<Icon name="inbox" />}
          title={
            <a class="row-link" href={securityPath(repo.full_name, '/reports')}>
              {t('Reports')}
            </a>
          }
          meta={
            <span>
              {tn('{count} new report', '{count} new reports', overview.new_reports ?? 0)}
            </span>
          }
        />
      </List>
    ) : (
      <EmptyState icon="shield" title={t('Findings are private')}>
        {t('People with Write and security managers see the alerts of this repository.')}
      </EmptyState>
    )}
    {overview.can_see_findings && <TrendCard weeks={overview.weeks} />}
    {policy !== null && <PolicyCard visit={visit} repo={repo} policy={policy} />}
  </SecurityFrame>
)

export const securityPage = page({
  path: '/:workspace/:repo/security',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const overview = await visit.call(getSecurityOverview, { repo: repo.full_name })
    return { repo, overview, policy: await loadSecurityPolicy(visit, repo) }
  },
  view: (shown, visit) => <OverviewView visit={visit} {...shown} />,
})
