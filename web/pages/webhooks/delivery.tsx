import { getWebhookDelivery, redeliverWebhook, type Delivery } from '#features/webhooks/index.ts'
import {
  ActionButton,
  Breadcrumbs,
  Button,
  Card,
  Duration,
  Facts,
  PageHead,
  RelativeTime,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import {
  action,
  redirectWithFlash,
  page,
  type Form as SiteForm,
  type Page,
  type Visit,
} from '../../site.ts'
import { describeResult, StateBadge, deliveryStateStyle } from './status.tsx'
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
import { t } from '../../text.ts'

/** Indented JSON; other text unchanged. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const Message = ({
  headers,
  body,
  label,
}: {
  headers: Readonly<Record<string, string>>
  body: string
  label: string
}) => (
  <>
    <pre
      class="payload"
      tabindex="0"
      role="group"
      aria-label={t('Headers of the {label}', { label })}
    >
      <code>
        {Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}\n`)
          .join('')}
      </code>
    </pre>
    {body === '' ? (
      <p class="muted">{t('No body.')}</p>
    ) : (
      <pre
        class="payload"
        tabindex="0"
        role="group"
        aria-label={t('Body of the {label}', { label })}
      >
        <code>{readable(body)}</code>
      </pre>
    )}
  </>
)

function deliveryFacts(visit: Visit, kind: OwnerKind, delivery: Delivery) {
  return [
    { label: t('Delivery'), value: <code>{delivery.id}</code> },
    { label: t('Event'), value: <code>{delivery.event.id}</code> },
    { label: t('Created'), value: <RelativeTime at={delivery.created_at} /> },
    { label: t('Try'), value: t('{at} of {of}', { at: delivery.attempt, of: 6 }) },
    ...(delivery.duration_ms === null
      ? []
      : [{ label: t('Duration'), value: <Duration milliseconds={delivery.duration_ms} /> }]),
    ...(delivery.next_retry_at === null
      ? []
      : [{ label: t('Next try'), value: <RelativeTime at={delivery.next_retry_at} /> }]),
    ...(delivery.redelivery_of === null
      ? []
      : [
          {
            label: t('Sent again'),
            value: (
              <a href={deliveryPath(kind, visit, delivery.hook, delivery.redelivery_of)}>
                <code>{delivery.redelivery_of}</code>
              </a>
            ),
          },
        ]),
  ]
}

const DeliveryView = ({
  visit,
  owner,
  delivery,
}: {
  visit: Visit
  owner: WebhookOwner
  delivery: Delivery
}): Html => {
  const { kind } = owner
  const { request, response } = delivery
  const result = describeResult(delivery)
  return owner.frame(
    delivery.event.type,
    <>
      <Breadcrumbs
        parts={[
          { label: t('Webhooks'), href: hooksPath(kind, visit) },
          { label: new URL(request.url).host, href: hookPath(kind, visit, delivery.hook) },
          { label: delivery.event.type },
        ]}
      />
      <PageHead
        title={delivery.event.type}
        lead={<StateBadge of={deliveryStateStyle(delivery.state)} />}
        actions={
          owner.isEditable ? (
            <ActionButton
              action={`${deliveryPath(kind, visit, delivery.hook, delivery.id)}/redeliver`}
              csrf={visit.csrf}
            >
              <Button icon="refresh">{t('Send again')}</Button>
            </ActionButton>
          ) : undefined
        }
      />
      <Facts facts={deliveryFacts(visit, kind, delivery)} />
      <Card title={t('Request')}>
        <p>
          <code>POST {request.url}</code>
        </p>
        <Message headers={request.headers} body={request.body} label={t('request')} />
      </Card>
      <Card title={t('Response')}>
        <p>{result ?? t('Not sent yet.')}</p>
        {response && (
          <Message headers={response.headers} body={response.body} label={t('answer')} />
        )}
      </Card>
    </>,
  )
}

export function deliveryPages(kind: OwnerKind): { page: Page; forms: readonly SiteForm[] } {
  const target = (visit: Visit) => ({
    ...targetOf(kind, visit),
    id: visit.params.id ?? '',
    delivery: visit.params.delivery ?? '',
  })
  const deliveryPage = page({
    path: `${BASE[kind]}/:id/deliveries/:delivery`,
    load: async (visit) => {
      const owner = await loadWebhookOwner(kind, visit)
      return owner && { owner, delivery: await visit.call(getWebhookDelivery, target(visit)) }
    },
    view: (shown, visit) => <DeliveryView visit={visit} {...shown} />,
  })
  const redeliverForm = action({
    path: `${BASE[kind]}/:id/deliveries/:delivery/redeliver`,
    page: deliveryPage,
    submit: async (visit) => {
      const again = await visit.call(redeliverWebhook, target(visit))
      return redirectWithFlash(
        visit,
        deliveryPath(kind, visit, again.hook, again.id),
        'webhook-redelivered',
      )
    },
  })
  return { page: deliveryPage, forms: [redeliverForm] }
}
