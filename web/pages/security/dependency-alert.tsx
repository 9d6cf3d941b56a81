// One alert of a dependency: what is wrong, which version mends it, and how it is dismissed.
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ECOSYSTEM_NAMES,
  getDependencyAlert,
  updateDependencyAlert,
  type DependencyAlert,
} from '#features/security/index.ts'
import { Badge, Breadcrumbs, Card, Facts, PageHead, RelativeTime } from '../../components/index.ts'
import { shortSha } from '../../format.ts'
import type { Html } from '../../jsx/html.ts'
import { codePath, commitPath } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import {
  AlertState,
  dismissalFacts,
  dismissalForms,
  DismissForm,
  ReopenButton,
} from './dismissal.tsx'
import { dependencyAlertsPath, wayOut } from './dependency-alerts.tsx'
import { SecurityFrame } from './frame.tsx'
import { SeverityChip } from './severity.tsx'

type Shown = { readonly repo: Repo; readonly alert: DependencyAlert }

const alertPath = (visit: Visit, rest = ''): string =>
  dependencyAlertsPath(repoOf(visit), `/${visit.params.alert ?? ''}${rest}`)

const advisoryFacts = ({ advisory }: DependencyAlert) => [
  {
    label: t('Advisory'),
    value:
      advisory.url === null ? (
        <code>{advisory.id}</code>
      ) : (
        <a href={advisory.url} rel="noreferrer nofollow">
          <code>{advisory.id}</code>
        </a>
      ),
  },
  ...(advisory.aliases.length === 0
    ? []
    : [{ label: t('Also known as'), value: advisory.aliases.join(', ') }]),
]

const endFacts = (visit: Visit, repo: Repo, alert: DependencyAlert) => {
  const at = (time: string) => <RelativeTime at={time} now={visit.hearth.clock.now()} />
  return [
    { label: t('Found'), value: at(alert.created_at) },
    ...(alert.fixed_at === null
      ? []
      : [
          {
            label: t('Fixed'),
            value: (
              <>
                {at(alert.fixed_at)}{' '}
                {alert.fixed_by === null ? (
                  t('The advisory was changed or withdrawn.')
                ) : (
                  <a href={commitPath(repo.full_name, alert.fixed_by)}>
                    <code>{shortSha(alert.fixed_by)}</code>
                  </a>
                )}
              </>
            ),
          },
        ]),
    ...dismissalFacts(visit, alert),
  ]
}

const alertFacts = (visit: Visit, repo: Repo, alert: DependencyAlert) => [
  {
    label: t('Package'),
    value: (
      <>
        <code>{alert.package.name}</code> ({ECOSYSTEM_NAMES[alert.package.type]})
      </>
    ),
  },
  { label: t('Installed version'), value: alert.package.version },
  { label: t('Fixed version'), value: alert.fixed_in ?? t('None yet') },
  {
    label: t('Lock file'),
    value: (
      <a href={codePath(repo.full_name, 'blob', repo.default_branch, alert.manifest)}>
        <code>{alert.manifest}</code>
      </a>
    ),
  },
  ...advisoryFacts(alert),
  ...endFacts(visit, repo, alert),
]

/** Whether the project asks for the package itself changes where the version is set. */
const Advice = ({ alert }: { alert: DependencyAlert }) => (
  <Card title={t('How to fix it')}>
    <p>{wayOut(alert)}.</p>
    <p>
      {alert.fixed_in === null
        ? t('Replace the package, or dismiss the alert if the fault does not concern you.')
        : alert.package.direct === false
          ? t(
              'Another package brings it in. Update that one, or set the version of this one in your manifest. Then commit the lock file, and the alert closes.',
            )
          : t('Change the version, commit the lock file, and the alert closes.')}
    </p>
  </Card>
)

const AlertView = ({ visit, repo, alert }: Shown & { visit: Visit }): Html => (
  <SecurityFrame
    visit={visit}
    repo={repo}
    title={alert.advisory.summary}
    current="dependency-alerts"
    seesFindings
  >
    <Breadcrumbs
      parts={[
        { label: t('Dependency alerts'), href: dependencyAlertsPath(repo.full_name) },
        { label: alert.advisory.id },
      ]}
    />
    <PageHead
      title={alert.advisory.summary}
      actions={
        alert.state === 'dismissed' && (
          <ReopenButton visit={visit} action={alertPath(visit, '/reopen')} />
        )
      }
    />
    <p class="actions">
      <AlertState of={alert} />
      {alert.advisory.severity && <SeverityChip severity={alert.advisory.severity} />}
      {alert.package.scope === 'development' && <Badge>{t('Development')}</Badge>}
      {alert.package.direct === false && <Badge>{t('Transitive')}</Badge>}
    </p>
    {alert.state === 'open' && <Advice alert={alert} />}
    <Card title={t('About')}>
      <Facts facts={alertFacts(visit, repo, alert)} />
    </Card>
    {alert.state === 'open' && <DismissForm visit={visit} action={alertPath(visit, '/dismiss')} />}
  </SecurityFrame>
)

export const dependencyAlertPage = page({
  path: '/:workspace/:repo/security/dependency-alerts/:alert',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const alert = await visit.call(getDependencyAlert, {
      repo: repo.full_name,
      id: visit.params.alert ?? '',
    })
    return { repo, alert }
  },
  view: (shown, visit) => <AlertView visit={visit} {...shown} />,
})

export const dependencyAlertForms = dismissalForms(
  dependencyAlertPage,
  alertPath,
  (visit, change) =>
    visit.call(updateDependencyAlert, {
      repo: repoOf(visit),
      id: visit.params.alert ?? '',
      ...change,
    }),
)
