// Events of a service that become issues: the address for the service, and what it sent.
import {
  canBeTold,
  findSender,
  getIncomingHook,
  listIncomingDeliveries,
  listTrackerUpdates,
  removeIncomingHook,
  setIncomingHook,
  type IncomingDelivery,
  type IncomingHook,
  type TrackerUpdate,
} from '#features/incoming/index.ts'
import type { Integration } from '#features/integrations/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  ActionButton,
  Badge,
  Button,
  Card,
  Checkbox,
  CopyField,
  EmptyState,
  Field,
  Form,
  FormActions,
  List,
  RelativeTime,
  Row,
  type IconName,
  type Tone,
} from '../../components/index.ts'
import { issuePath } from '../../paths.ts'
import { action, redirectWithFlash, type Page, type Visit } from '../../site.ts'
import { localized, rich, t } from '../../text.ts'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { loadPickableRepos, RepoPicker, type PickableNames } from '../repos/name-pickers.tsx'
import { BASE, integrationPath, slugOf } from './owner.tsx'

const MAX_SHOWN = 20

export type Incoming = {
  readonly hook: IncomingHook | null
  readonly deliveries: readonly IncomingDelivery[]
  readonly updates: readonly TrackerUpdate[]
  readonly signature: IncomingHook['signature']
  readonly repos: PickableNames
}

/** Null for services whose events cannot become issues. */
export async function loadIncoming(
  visit: Visit,
  integration: Integration,
): Promise<Incoming | null> {
  const sender = findSender(integration.provider)
  if (sender === null) return null
  const target = { workspace: integration.workspace, id: integration.id }
  const { signature } = sender
  const repos = await loadPickableRepos(visit, integration.workspace)
  try {
    const hook = await visit.call(getIncomingHook, target)
    const shown = { ...target, per_page: MAX_SHOWN }
    const { items } = await visit.call(listIncomingDeliveries, shown)
    const { items: updates } = await visit.call(listTrackerUpdates, shown)
    return { hook, deliveries: items, updates, signature, repos }
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 404)) throw error
    return { hook: null, deliveries: [], updates: [], signature, repos }
  }
}

type StateStyle = { readonly icon: IconName; readonly tone: Tone; readonly label: string }

const STATES: Readonly<Record<IncomingDelivery['state'], StateStyle>> = localized({
  done: { icon: 'check', tone: 'good', label: 'Done' },
  ignored: { icon: 'stop', tone: 'plain', label: 'Ignored' },
  refused: { icon: 'warning', tone: 'bad', label: 'Refused' },
  failed: { icon: 'warning', tone: 'bad', label: 'Failed' },
})

const Delivery = ({ delivery, repo }: { delivery: IncomingDelivery; repo: string }) => {
  const { icon, tone, label } = STATES[delivery.state]
  return (
    <Row
      title={delivery.event === '' ? t('Event') : delivery.event}
      meta={
        <>
          <RelativeTime at={delivery.received_at} />
          {delivery.issues.map((number) => (
            <a href={issuePath(repo, number)}>#{number}</a>
          ))}
          {delivery.message !== null && <span>{delivery.message}</span>}
        </>
      }
      end={
        <Badge icon={icon} tone={tone}>
          {label}
        </Badge>
      }
    />
  )
}

const Deliveries = ({ hook, deliveries }: Pick<Incoming, 'deliveries'> & { hook: IncomingHook }) =>
  deliveries.length === 0 ? (
    <EmptyState icon="webhook" title={t('No events yet')}>
      {t('Enter the address at the service and send a test from there.')}
    </EmptyState>
  ) : (
    <List label={t('Last events')}>
      {deliveries.map((delivery) => (
        <Delivery delivery={delivery} repo={hook.repo} />
      ))}
    </List>
  )

const UPDATE_STATES: Readonly<Record<TrackerUpdate['state'], StateStyle>> = localized({
  waiting: { icon: 'clock', tone: 'plain', label: 'Waiting' },
  sent: { icon: 'check', tone: 'good', label: 'Sent' },
  failed: { icon: 'warning', tone: 'bad', label: 'Failed' },
  cancelled: { icon: 'stop', tone: 'plain', label: 'Not sent' },
})

const Update = ({ update, repo }: { update: TrackerUpdate; repo: string }) => {
  const { icon, tone, label } = UPDATE_STATES[update.state]
  return (
    <Row
      title={update.kind === 'status' ? t('Status of the issue') : t('Comment')}
      meta={
        <>
          <RelativeTime at={update.finished_at ?? update.created_at} />
          <a href={issuePath(repo, update.issue)}>#{update.issue}</a>
          {update.message !== null && <span>{update.message}</span>}
        </>
      }
      end={
        <Badge icon={icon} tone={tone}>
          {label}
        </Badge>
      }
    />
  )
}

/** What the service was told; nothing until it is told something. */
const Updates = ({ hook, updates }: Pick<Incoming, 'updates'> & { hook: IncomingHook }) =>
  updates.length === 0 ? null : (
    <>
      <h3>{t('Sent to the service')}</h3>
      <List label={t('Sent to the service')}>
        {updates.map((update) => (
          <Update update={update} repo={hook.repo} />
        ))}
      </List>
    </>
  )

/** A form that was sent back shows what was ticked. */
const SyncFields = ({ visit, hook }: Pick<Incoming, 'hook'> & { visit: Visit }) => {
  const { values } = visit.form
  const typed = values.has('incoming_repo')
  const isTicked = (name: string, stored: boolean | undefined): boolean =>
    typed ? values.ticked(name) : stored === true
  return (
    <>
      <Checkbox
        name="incoming_sync_status"
        label={t('Close and reopen at the service as well')}
        hint={t(
          'When people or agents close or reopen an issue here. Needs an access token that may write there.',
        )}
        checked={isTicked('incoming_sync_status', hook?.sync_status)}
      />
      <Checkbox
        name="incoming_sync_comments"
        label={t('Send comments to the service')}
        hint={t('Those of people with Write. Everyone who reads the service reads them.')}
        checked={isTicked('incoming_sync_comments', hook?.sync_comments)}
      />
    </>
  )
}

const SecretField = ({ visit, hook, signature }: Incoming & { visit: Visit }) =>
  signature && (
    <Field
      name="incoming_secret"
      type="password"
      autocomplete="new-password"
      label={t('Signing secret')}
      required={signature.required && !hook?.has_secret}
      maxlength={256}
      error={fieldError(visit, 'secret')}
      hint={
        hook?.has_secret
          ? t('Stored encrypted and never shown. Empty keeps the present one.')
          : t('The same as at the service, which signs each event with it ({header}).', {
              header: signature.header,
            })
      }
    />
  )

const Settings = (props: Incoming & { visit: Visit; here: string; canBeTold: boolean }) => {
  const { visit, hook, here } = props
  const { values } = visit.form
  const typed = values.has('incoming_repo')
  return (
    <Form action={`${here}/incoming`} csrf={visit.csrf} error={formError(visit, ...ERRORS)}>
      <RepoPicker
        name="incoming_repo"
        label={t('Repository')}
        hint={t('Where the issues are opened.')}
        repos={props.repos}
        value={typed ? values.text('incoming_repo') : (hook?.repo ?? '')}
        error={fieldError(visit, 'repo')}
      />
      <Field
        name="incoming_labels"
        label={t('Labels')}
        hint={t('Separated by commas.')}
        value={typed ? values.text('incoming_labels') : (hook?.labels.join(', ') ?? '')}
        error={fieldError(visit, 'labels')}
      />
      <SecretField {...props} />
      {props.canBeTold && <SyncFields visit={visit} hook={hook} />}
      {hook && <Checkbox name="incoming_renew" label={t('Make a new address; the old one ends')} />}
      <FormActions>
        <Button variant="primary">{hook ? t('Save') : t('Receive events')}</Button>
      </FormActions>
    </Form>
  )
}

const ERRORS = ['repo', 'labels', 'secret', 'sync_status', 'sync_comments'] as const

export const IncomingCard = ({
  visit: wholeVisit,
  integration,
  incoming,
}: {
  visit: Visit
  integration: Integration
  incoming: Incoming
}) => {
  const here = integrationPath(integration.workspace, integration.id)
  const visit = visitForForm(wholeVisit, `${here}/incoming`)
  const { hook } = incoming
  return (
    <Card title={t('Issues from events')} id="incoming">
      <p class="muted">
        {t(
          'Events of this service open, update and close issues. Their texts are marked as written by strangers.',
        )}
      </p>
      {hook && (
        <>
          <CopyField id="incoming-url" label={t('Address for the service')} value={hook.url} />
          <p class="muted small">
            {rich('Send JSON with POST. Whoever knows the address can send events. <a>Guide</a>', {
              a: (inner) => (
                <a href="/docs/agents#user-content-issues-from-other-services">{inner}</a>
              ),
            })}
          </p>
        </>
      )}
      <Settings
        {...incoming}
        visit={visit}
        here={here}
        canBeTold={canBeTold(integration.provider)}
      />
      {hook && (
        <>
          <h3>{t('Last events')}</h3>
          <Deliveries hook={hook} deliveries={incoming.deliveries} />
          <Updates hook={hook} updates={incoming.updates} />
          <FormActions>
            <ActionButton action={`${here}/incoming/remove`} csrf={visit.csrf}>
              <Button variant="danger" icon="trash">
                {t('Receive no more events')}
              </Button>
            </ActionButton>
          </FormActions>
        </>
      )}
    </Card>
  )
}

/** The forms of the card on the page of an integration. */
export const incomingForms = (of: Page) => {
  const target = (visit: Visit) => ({ workspace: slugOf(visit), id: visit.params.id ?? '' })
  const back = (visit: Visit): string =>
    `${integrationPath(slugOf(visit), visit.params.id ?? '')}#incoming`
  return [
    action({
      path: `${BASE}/:id/incoming`,
      page: of,
      submit: async (visit, fields) => {
        const repo = fields.text('incoming_repo').trim()
        await visit.call(setIncomingHook, {
          ...target(visit),
          repo: repo.includes('/') ? repo : `${slugOf(visit)}/${repo}`,
          labels: (fields.optional('incoming_labels') ?? '')
            .split(',')
            .map((label) => label.trim())
            .filter((label) => label !== ''),
          secret: fields.optional('incoming_secret'),
          renew: fields.ticked('incoming_renew'),
          sync_status: fields.ticked('incoming_sync_status'),
          sync_comments: fields.ticked('incoming_sync_comments'),
        })
        return redirectWithFlash(visit, back(visit), 'incoming-saved')
      },
    }),
    action({
      path: `${BASE}/:id/incoming/remove`,
      page: of,
      submit: async (visit) => {
        await visit.call(removeIncomingHook, target(visit))
        return redirectWithFlash(visit, back(visit), 'incoming-removed')
      },
    }),
  ]
}
