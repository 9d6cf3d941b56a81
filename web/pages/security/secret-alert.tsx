// One secret: where it stands, who let it through, and what was done.
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  getSecretAlert,
  listSecretLocations,
  RESOLUTIONS,
  updateSecretAlert,
  type SecretAlert,
  type SecretLocation,
} from '#features/security/index.ts'
import { lineAddress } from '#lib/line-address.ts'
import {
  ActorLink,
  Badge,
  Breadcrumbs,
  Button,
  Card,
  Facts,
  Form,
  FormActions,
  Icon,
  List,
  PageHead,
  Pager,
  RelativeTime,
  Row,
  Select,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { codePath, commitPath, withQuery } from '../../paths.ts'
import { pageNumber } from '../../page-number.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { rich, t, texts } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { fieldError, formError } from '../shell.tsx'
import { NoteField, ReopenButton } from './dismissal.tsx'
import { SecurityFrame } from './frame.tsx'
import {
  BYPASS_REASON_LABELS,
  RESOLUTION_LABELS,
  SECRET_STATE_LABELS,
  SECRET_TONES,
  secretsPath,
  titleOfLabel,
} from './secret-labels.ts'

type Shown = {
  readonly repo: Repo
  readonly alert: SecretAlert
  readonly locations: readonly SecretLocation[]
  readonly page: number
  readonly next: string | null
}

const SOURCES = texts({
  push: 'in a push',
  history: 'in old commits',
  issue: 'in an issue',
  pull: 'in a pull request',
  comment: 'in a comment',
  session: 'in a session',
})

const alertPath = (visit: Visit, rest = ''): string =>
  secretsPath(repoOf(visit), `/${visit.params.alert ?? ''}${rest}`)

const LocationRow = ({
  visit,
  repo,
  location,
}: {
  visit: Visit
  repo: Repo
  location: SecretLocation
}) => {
  const { path, line, commit, source, found_at } = location
  const place = (
    <code>
      {path}:{line}
    </code>
  )
  return (
    <Row
      mark={<Icon name="file" />}
      title={
        commit === null ? (
          <a href={path}>{place}</a>
        ) : (
          <a href={codePath(repo.full_name, 'blob', commit, path) + lineAddress(line)}>{place}</a>
        )
      }
      meta={
        <>
          {commit !== null && (
            <span>
              <a href={commitPath(repo.full_name, commit)}>
                <code>{commit.slice(0, 7)}</code>
              </a>
            </span>
          )}
          <span>{SOURCES[source]}</span>
          <span>
            {rich('found {at}', {
              at: <RelativeTime at={found_at} now={visit.hearth.clock.now()} />,
            })}
          </span>
        </>
      }
    />
  )
}

const ResolveForm = ({ visit }: { visit: Visit }) => (
  <Card title={t('Resolve alert')}>
    <Form
      action={alertPath(visit, '/resolve')}
      csrf={visit.csrf}
      error={formError(visit, 'resolution', 'note')}
    >
      <Select
        name="resolution"
        label={t('Resolution')}
        value={visit.form.values.text('resolution') || 'revoked'}
        error={fieldError(visit, 'resolution')}
        options={(['revoked', ...RESOLUTIONS.filter((one) => one !== 'revoked')] as const).map(
          (value) => ({ value, label: RESOLUTION_LABELS[value] }),
        )}
      />
      <NoteField visit={visit} />
      <FormActions>
        <Button variant="primary">{t('Resolve alert')}</Button>
      </FormActions>
    </Form>
  </Card>
)

const alertFacts = (visit: Visit, alert: SecretAlert) => {
  const at = (time: string) => <RelativeTime at={time} now={visit.hearth.clock.now()} />
  return [
    { label: t('Format'), value: <code>{alert.type}</code> },
    { label: t('Begins and ends with'), value: <code>{alert.preview}</code> },
    ...(alert.validity === 'inactive'
      ? [{ label: t('Validity'), value: t('Revoked when it was found') }]
      : []),
    { label: t('First found'), value: at(alert.first_found_at) },
    ...(alert.bypass === null
      ? []
      : [
          {
            label: t('Push protection bypassed'),
            value: (
              <>
                <ActorLink of={alert.bypass.by} /> {at(alert.bypass.at)}:{' '}
                {BYPASS_REASON_LABELS[alert.bypass.reason]}
              </>
            ),
          },
        ]),
    ...(alert.resolution === null || alert.resolved_at === null
      ? []
      : [
          {
            label: t('Resolved'),
            value: (
              <>
                {RESOLUTION_LABELS[alert.resolution]}, <ActorLink of={alert.resolved_by} />{' '}
                {at(alert.resolved_at)}
              </>
            ),
          },
        ]),
    ...(alert.note === null ? [] : [{ label: t('Note'), value: alert.note }]),
  ]
}

const AlertView = ({ visit, ...shown }: Shown & { visit: Visit }): Html => {
  const { repo, alert, locations } = shown
  const at = (page: number) => withQuery(alertPath(visit), { page })
  return (
    <SecurityFrame
      visit={visit}
      repo={repo}
      title={titleOfLabel(alert.label)}
      current="secrets"
      seesFindings
    >
      <Breadcrumbs
        parts={[
          { label: t('Secrets'), href: secretsPath(repo.full_name) },
          { label: titleOfLabel(alert.label) },
        ]}
      />
      <PageHead
        title={titleOfLabel(alert.label)}
        lead={
          alert.state === 'open'
            ? t(
                'Revoke it where it was issued, and make a new one. Then resolve this alert. Taking it out of the history does not make it safe.',
              )
            : undefined
        }
        actions={
          alert.state === 'resolved' && (
            <ReopenButton visit={visit} action={alertPath(visit, '/reopen')} />
          )
        }
      />
      <p class="actions">
        <Badge tone={SECRET_TONES[alert.state]}>{SECRET_STATE_LABELS[alert.state]}</Badge>
      </p>
      <Card title={t('About')}>
        <Facts facts={alertFacts(visit, alert)} />
      </Card>
      {locations.length > 0 && (
        <List label={t('Places')}>
          {locations.map((location) => (
            <LocationRow visit={visit} repo={repo} location={location} />
          ))}
        </List>
      )}
      <Pager
        newer={shown.page > 1 ? at(shown.page - 1) : null}
        older={shown.next === null ? null : at(shown.page + 1)}
        label={t('Places')}
      />
      {alert.state === 'open' && !repo.archived && <ResolveForm visit={visit} />}
    </SecurityFrame>
  )
}

export const secretAlertPage = page({
  path: '/:workspace/:repo/security/secrets/:alert',
  load: async (visit): Promise<Shown> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    const input = { repo: repo.full_name, id: visit.params.alert ?? '' }
    const alert = await visit.call(getSecretAlert, input)
    const page = pageNumber(visit)
    const { items, next } = await visit.call(listSecretLocations, { ...input, page })
    return { repo, alert, locations: items, page, next }
  },
  view: (shown, visit) => <AlertView visit={visit} {...shown} />,
})

export const resolveSecretForm = action({
  path: '/:workspace/:repo/security/secrets/:alert/resolve',
  page: secretAlertPage,
  submit: async (visit, fields) => {
    await visit.call(updateSecretAlert, {
      repo: repoOf(visit),
      id: visit.params.alert ?? '',
      state: 'resolved',
      resolution: RESOLUTIONS.find((one) => one === fields.text('resolution')) ?? null,
      note: fields.optional('note') ?? null,
    })
    return redirectWithFlash(visit, alertPath(visit), 'alert-resolved')
  },
})

export const reopenSecretForm = action({
  path: '/:workspace/:repo/security/secrets/:alert/reopen',
  page: secretAlertPage,
  submit: async (visit) => {
    await visit.call(updateSecretAlert, {
      repo: repoOf(visit),
      id: visit.params.alert ?? '',
      state: 'open',
    })
    return redirectWithFlash(visit, alertPath(visit), 'alert-reopened')
  },
})
