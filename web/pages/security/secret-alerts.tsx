// Secrets that stand in a repository, what is scanned, and the scan of old commits.
import { getRepo, updateRepoSettings, type Repo } from '#features/repos/index.ts'
import {
  getSecretScanning,
  listSecretAlerts,
  scanHistory,
  SECRET_STATES,
  type SecretAlert,
  type SecretScan,
  type SecretState,
} from '#features/security/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Checkbox,
  Chip,
  EmptyState,
  FilterBar,
  Form,
  FormActions,
  FormError,
  Icon,
  LinkButton,
  List,
  PageHead,
  Pager,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import type { Child, Html } from '../../jsx/html.ts'
import { withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { SecurityFrame } from './frame.tsx'
import {
  RESOLUTION_LABELS,
  SECRET_STATE_LABELS,
  secretsPath,
  titleOfLabel,
} from './secret-labels.ts'

type Scanning = {
  readonly push_protection: boolean
  readonly secret_scanning: boolean
  readonly required: { readonly push_protection: boolean; readonly secret_scanning: boolean }
  readonly scan: SecretScan | null
}
type Shown = {
  readonly repo: Repo
  readonly scanning: Scanning
  readonly alerts: readonly SecretAlert[]
  readonly page: number
  readonly next: string | null
  readonly state: SecretState
}

const AlertRow = ({ visit, repo, alert }: { visit: Visit; repo: Repo; alert: SecretAlert }) => (
  <Row
    mark={<Icon name={alert.state === 'open' ? 'warning' : 'check-circle'} />}
    title={
      <a class="row-link" href={secretsPath(repo.full_name, `/${alert.id}`)}>
        {titleOfLabel(alert.label)}
      </a>
    }
    meta={
      <>
        <span>
          <code>{alert.preview}</code>
        </span>
        <span>{tn('{count} place', '{count} places', alert.locations_count)}</span>
        <span>
          {rich('found {at}', {
            at: <RelativeTime at={alert.created_at} now={visit.hearth.clock.now()} />,
          })}
        </span>
        {alert.push_protection_bypassed && <span>{t('Push protection bypassed')}</span>}
      </>
    }
    end={alert.resolution !== null && <Chip>{RESOLUTION_LABELS[alert.resolution]}</Chip>}
  />
)

const isUnderWay = (scan: SecretScan | null): boolean =>
  scan?.state === 'queued' || scan?.state === 'running'

const scanText = (visit: Visit, scan: SecretScan | null): Child => {
  if (scan === null) return t('Old commits were not scanned yet.')
  if (isUnderWay(scan))
    return tn(
      'Old commits are being scanned: {count} commit so far.',
      'Old commits are being scanned: {count} commits so far.',
      scan.commits,
    )
  const at = (
    <RelativeTime at={scan.finished_at ?? scan.created_at} now={visit.hearth.clock.now()} />
  )
  return scan.state === 'failed'
    ? rich('The scan of old commits failed {at}. Scan them again.', { at })
    : rich('Old commits were scanned {at}: {commits}, {secrets}.', {
        at,
        commits: tn('{count} commit', '{count} commits', scan.commits),
        secrets: tn('{count} secret', '{count} secrets', scan.alerts),
      })
}

const ScanningCard = ({
  visit,
  repo,
  scanning,
}: Pick<Shown, 'repo' | 'scanning'> & { visit: Visit }) => (
  <Card title={t('What is scanned')}>
    <p>{scanText(visit, scanning.scan)}</p>
    {!repo.archived && scanning.secret_scanning && !isUnderWay(scanning.scan) && (
      <ActionButton action={secretsPath(repo.full_name, '/scan')} csrf={visit.csrf}>
        <Button icon="search">{t('Scan old commits')}</Button>
      </ActionButton>
    )}
    {!repo.archived && (
      <Form action={secretsPath(repo.full_name, '/settings')} csrf={visit.csrf}>
        <Checkbox
          name="push_protection"
          label={t('Push protection')}
          hint={
            scanning.required.push_protection
              ? t('The workspace requires it of all repositories.')
              : t('Refuse pushes that add a secret in an unmistakable format.')
          }
          checked={scanning.push_protection}
        />
        <Checkbox
          name="secret_scanning"
          label={t('Scan for secrets')}
          hint={
            scanning.required.secret_scanning
              ? t('The workspace requires it of all repositories.')
              : t('Open alerts for secrets in pushes and texts.')
          }
          checked={scanning.secret_scanning}
        />
        <FormActions>
          <Button>{t('Save')}</Button>
        </FormActions>
      </Form>
    )}
  </Card>
)

const AlertsView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { repo, alerts, state, scanning } = shown
  const at = (change: { state?: string; page?: number }) =>
    withQuery(secretsPath(repo.full_name), {
      state: state === 'open' ? undefined : state,
      ...change,
    })
  return (
    <SecurityFrame visit={visit} repo={repo} title={t('Secrets')} current="secrets" seesFindings>
      <PageHead
        title={t('Secrets')}
        lead={rich(
          'Keys, tokens and passwords that stand in this repository. Revoke a secret first: everybody who read it has it. <a>How it works</a>',
          { a: (inner) => <a href="/docs/secret-scanning">{inner}</a> },
        )}
        actions={
          <LinkButton href={secretsPath(repo.full_name, '/patterns')}>
            {t('Secret patterns')}
          </LinkButton>
        }
      />
      {visit.form.error !== null && <FormError>{visit.form.error.message}</FormError>}
      <FilterBar
        label={t('Alerts by state')}
        filters={SECRET_STATES.map((one) => ({
          label: SECRET_STATE_LABELS[one],
          href: at({ state: one === 'open' ? undefined : one }),
          current: state === one,
        }))}
      />
      {alerts.length === 0 ? (
        <EmptyState icon="key" title={t('No secrets')}>
          {state === 'open'
            ? t('Pushes are scanned as they arrive. Scan the old commits once to know about those.')
            : t('Alerts that somebody resolved are listed here.')}
        </EmptyState>
      ) : (
        <List label={t('Secrets')}>
          {alerts.map((alert) => (
            <AlertRow visit={visit} repo={repo} alert={alert} />
          ))}
        </List>
      )}
      <Pager
        newer={shown.page > 1 ? at({ page: shown.page - 1 }) : null}
        older={shown.next === null ? null : at({ page: shown.page + 1 })}
        label={t('Secrets')}
      />
      {repo.permissions.admin && <ScanningCard visit={visit} repo={repo} scanning={scanning} />}
    </SecurityFrame>
  )
}

export const secretAlertsPage = page({
  path: '/:workspace/:repo/security/secrets',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const page = pageNumber(visit)
    const state = SECRET_STATES.find((one) => one === visit.url.searchParams.get('state')) ?? 'open'
    const { items, next } = await visit.call(listSecretAlerts, {
      repo: repo.full_name,
      state,
      page,
    })
    const scanning = await visit.call(getSecretScanning, { repo: repo.full_name })
    return { repo, scanning, alerts: items, page, next, state }
  },
  view: (shown, visit) => <AlertsView visit={visit} {...shown} />,
})

export const scanHistoryForm = action({
  path: '/:workspace/:repo/security/secrets/scan',
  page: secretAlertsPage,
  submit: async (visit) => {
    await visit.call(scanHistory, { repo: repoOf(visit) })
    return redirectWithFlash(visit, secretsPath(repoOf(visit)), 'secret-scan-started')
  },
})

export const secretSettingsForm = action({
  path: '/:workspace/:repo/security/secrets/settings',
  page: secretAlertsPage,
  submit: async (visit, fields) => {
    await visit.call(updateRepoSettings, {
      repo: repoOf(visit),
      push_protection: fields.ticked('push_protection'),
      secret_scanning: fields.ticked('secret_scanning'),
    })
    return redirectWithFlash(visit, secretsPath(repoOf(visit)), 'secret-settings-saved')
  },
})
