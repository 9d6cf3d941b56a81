import {
  deleteWebhook,
  getWebhook,
  listWebhookDeliveries,
  pingWebhook,
  updateWebhook,
  type Delivery,
  type Webhook,
} from '#features/webhooks/index.ts'
import {
  ActionButton,
  Breadcrumbs,
  Button,
  Card,
  Chip,
  Duration,
  EmptyState,
  FilterBar,
  Form,
  FormActions,
  List,
  PageHead,
  Pager,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { withQuery } from '../../paths.ts'
import {
  action,
  redirectWithFlash,
  page,
  type Form as SiteForm,
  type Page,
  type Visit,
} from '../../site.ts'
import { formError } from '../shell.tsx'
import { eventsFrom, HookFields } from './fields.tsx'
import {
  webhookStatusStyle,
  describeResult,
  StateBadge,
  deliveryStateStyle,
  StateMark,
} from './status.tsx'
import {
  BASE,
  deliveryPath,
  hookPath,
  hooksPath,
  loadWebhookOwner,
  targetOf,
  type OwnerKind,
  type WebhookOwner,
} from './owner.tsx'
import { rich, t } from '../../text.ts'

const FILTERS = [undefined, 'delivered', 'waiting', 'failed'] as const
type Filter = (typeof FILTERS)[number]

const DeliveryRow = ({
  visit,
  kind,
  delivery,
}: {
  visit: Visit
  kind: OwnerKind
  delivery: Delivery
}) => (
  <Row
    mark={<StateMark of={deliveryStateStyle(delivery.state)} />}
    title={
      <a class="row-link" href={deliveryPath(kind, visit, delivery.hook, delivery.id)}>
        {delivery.event.type}
      </a>
    }
    meta={
      <>
        <span>
          <RelativeTime at={delivery.created_at} />
        </span>
        {describeResult(delivery) !== null && <span>{describeResult(delivery)}</span>}
        {delivery.duration_ms !== null && (
          <span>
            <Duration milliseconds={delivery.duration_ms} />
          </span>
        )}
        {delivery.attempt > 1 && (
          <span>{rich('try {attempt} of 6', { attempt: delivery.attempt })}</span>
        )}
        {delivery.next_retry_at !== null && (
          <span>
            {rich('next try {time}', { time: <RelativeTime at={delivery.next_retry_at} /> })}
          </span>
        )}
      </>
    }
    end={delivery.redelivery_of === null ? undefined : <Chip icon="refresh">{t('again')}</Chip>}
  />
)

type HookPageData = {
  owner: WebhookOwner
  hook: Webhook
  deliveries: readonly Delivery[]
  next: string | null
  filter: Filter
  isFirst: boolean
}

const Deliveries = ({
  visit,
  owner: { kind },
  hook,
  deliveries,
  next,
  filter,
  isFirst,
}: HookPageData & { visit: Visit }) => {
  const here = hookPath(kind, visit, hook.id)
  return (
    <>
      <PageHead level={2} title={t('Deliveries')} lead={t('What was sent in the last 14 days.')} />
      <FilterBar
        label={t('Deliveries by state')}
        filters={FILTERS.map((state) => ({
          label: state === undefined ? t('All') : deliveryStateStyle(state).label,
          href: withQuery(here, { state }),
          current: state === filter,
        }))}
      />
      {deliveries.length === 0 ? (
        <EmptyState
          icon="webhook"
          title={filter === undefined ? t('Nothing was sent yet') : t('None of these')}
        >
          {filter === undefined && t('Send a ping to see the first delivery.')}
        </EmptyState>
      ) : (
        <List label={t('Deliveries')}>
          {deliveries.map((delivery) => (
            <DeliveryRow visit={visit} kind={kind} delivery={delivery} />
          ))}
        </List>
      )}
      <Pager
        newer={isFirst ? null : withQuery(here, { state: filter })}
        older={next === null ? null : withQuery(here, { state: filter, before: next })}
        label={t('Deliveries')}
      />
    </>
  )
}

type HookProps = { visit: Visit; hook: Webhook; here: string }

const HookActions = ({ visit, hook, here }: HookProps) => (
  <>
    <ActionButton action={`${here}/ping`} csrf={visit.csrf}>
      <Button icon="play">{t('Send ping')}</Button>
    </ActionButton>
    <ActionButton
      action={`${here}/active`}
      csrf={visit.csrf}
      values={{ active: String(!hook.active) }}
    >
      <Button icon={hook.active ? 'stop' : 'check'}>
        {hook.active ? t('Pause') : t('Turn on')}
      </Button>
    </ActionButton>
  </>
)

const HookEditing = ({ visit, hook, here }: HookProps) => {
  const typed = visit.form.values.has('url')
  return (
    <>
      <Card title={t('Settings')}>
        <Form
          action={here}
          csrf={visit.csrf}
          error={typed ? formError(visit, 'url', 'events', 'secret') : null}
        >
          <HookFields visit={visit} shown={hook} typed={typed} isNew={false} />
          <FormActions>
            <Button variant="primary">{t('Save')}</Button>
          </FormActions>
        </Form>
      </Card>
      <Card title={t('Delete')} tone="bad">
        <p>
          {t(
            'Deletes the webhook and the log of its deliveries. Pending deliveries are cancelled.',
          )}
        </p>
        <FormActions>
          <ActionButton action={`${here}/delete`} csrf={visit.csrf}>
            <Button variant="danger" icon="trash">
              {t('Delete webhook')}
            </Button>
          </ActionButton>
        </FormActions>
      </Card>
    </>
  )
}

const HookView = ({ visit, ...shown }: HookPageData & { visit: Visit }): Html => {
  const { owner, hook } = shown
  const { kind } = owner
  const here = hookPath(kind, visit, hook.id)
  return owner.frame(
    t('Webhook to {host}', { host: new URL(hook.url).host }),
    <>
      <Breadcrumbs
        parts={[
          { label: t('Webhooks'), href: hooksPath(kind, visit) },
          { label: new URL(hook.url).host },
        ]}
      />
      <PageHead
        title={new URL(hook.url).host}
        lead={
          <StateBadge
            of={
              hook.active
                ? webhookStatusStyle(hook)
                : { icon: 'stop', tone: 'wait', label: t('Paused') }
            }
          />
        }
        actions={
          owner.isEditable ? <HookActions visit={visit} hook={hook} here={here} /> : undefined
        }
      />
      {!hook.active && (
        <p class="notice notice-wait">
          {t('Nothing is sent while it is paused, and events during the pause are not sent later.')}
        </p>
      )}
      <Deliveries visit={visit} {...shown} />
      {owner.isEditable && <HookEditing visit={visit} hook={hook} here={here} />}
    </>,
  )
}

async function load(kind: OwnerKind, visit: Visit): Promise<HookPageData | null> {
  const owner = await loadWebhookOwner(kind, visit)
  if (owner === null) return null
  const target = { ...targetOf(kind, visit), id: visit.params.id ?? '' }
  const { searchParams } = visit.url
  const filter = FILTERS.find((state) => state === searchParams.get('state'))
  const before = searchParams.get('before') ?? undefined
  const hook = await visit.call(getWebhook, target)
  const { items, next } = await visit.call(listWebhookDeliveries, {
    ...target,
    state: filter,
    before,
  })
  return { owner, hook, deliveries: items, next, filter, isFirst: before === undefined }
}

export function hookPages(kind: OwnerKind): { page: Page; forms: readonly SiteForm[] } {
  const hookPage = page({
    path: `${BASE[kind]}/:id`,
    load: (visit) => load(kind, visit),
    view: (shown, visit) => <HookView visit={visit} {...shown} />,
  })
  const target = (visit: Visit) => ({ ...targetOf(kind, visit), id: visit.params.id ?? '' })
  const here = (visit: Visit): string => hookPath(kind, visit, visit.params.id ?? '')

  const updateForm = action({
    path: `${BASE[kind]}/:id`,
    page: hookPage,
    submit: async (visit, fields) => {
      await visit.call(updateWebhook, {
        ...target(visit),
        url: fields.text('url').trim(),
        events: eventsFrom(fields),
        secret: fields.optional('secret'),
      })
      return redirectWithFlash(visit, here(visit), 'saved')
    },
  })
  const activeForm = action({
    path: `${BASE[kind]}/:id/active`,
    page: hookPage,
    submit: async (visit, fields) => {
      const { active } = await visit.call(updateWebhook, {
        ...target(visit),
        active: fields.ticked('active'),
      })
      return redirectWithFlash(visit, here(visit), active ? 'webhook-on' : 'webhook-paused')
    },
  })
  const pingForm = action({
    path: `${BASE[kind]}/:id/ping`,
    page: hookPage,
    submit: async (visit) => {
      await visit.call(pingWebhook, target(visit))
      return redirectWithFlash(visit, here(visit), 'webhook-pinged')
    },
  })
  const deleteForm = action({
    path: `${BASE[kind]}/:id/delete`,
    page: hookPage,
    submit: async (visit) => {
      await visit.call(deleteWebhook, target(visit))
      return redirectWithFlash(visit, hooksPath(kind, visit), 'webhook-deleted')
    },
  })
  return { page: hookPage, forms: [updateForm, activeForm, pingForm, deleteForm] }
}
