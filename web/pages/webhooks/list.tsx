import {
  createWebhook,
  listWebhooks,
  MAX_WEBHOOKS,
  type Webhook,
} from '#features/webhooks/index.ts'
import {
  Badge,
  Button,
  Card,
  EmptyState,
  Form,
  FormActions,
  List,
  PageHead,
  RelativeTime,
  Row,
  TokenSecret,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import {
  pageResponse,
  action,
  page,
  type Form as SiteForm,
  type Page,
  type Visit,
} from '../../site.ts'
import { formError } from '../shell.tsx'
import { eventsFrom, HookFields } from './fields.tsx'
import { eventsText, webhookStatusStyle, StateMark } from './status.tsx'
import {
  BASE,
  hookPath,
  hooksPath,
  loadWebhookOwner,
  targetOf,
  type OwnerKind,
  type WebhookOwner,
} from './owner.tsx'
import { rich, t } from '../../text.ts'

const HookRow = ({ visit, kind, hook }: { visit: Visit; kind: OwnerKind; hook: Webhook }) => (
  <Row
    mark={<StateMark of={webhookStatusStyle(hook)} />}
    title={
      <a class="row-link" href={hookPath(kind, visit, hook.id)}>
        {hook.url}
      </a>
    }
    meta={
      <>
        <span>{eventsText(hook.events)}</span>
        <span>
          {webhookStatusStyle(hook).label}
          {hook.status !== 'none' && hook.last_delivery && (
            <>
              {' '}
              · <RelativeTime at={hook.last_delivery.at} />
            </>
          )}
        </span>
      </>
    }
    end={
      hook.active ? undefined : (
        <Badge icon="stop" tone="wait">
          {t('Paused')}
        </Badge>
      )
    }
  />
)

type HooksPageData = { owner: WebhookOwner; hooks: readonly Webhook[]; made: Webhook | null }

const HooksView = ({ visit, owner, hooks, made }: HooksPageData & { visit: Visit }): Html => {
  const here = hooksPath(owner.kind, visit)
  const typed = made === null && visit.form.values.has('url')
  return owner.frame(
    t('Webhooks'),
    <>
      <PageHead
        title={t('Webhooks')}
        lead={
          owner.kind === 'repository'
            ? t('Addresses that receive the events of this repository.')
            : t('Addresses that receive the events of every repository of {name}.', {
                name: owner.name,
              })
        }
      />
      {made && (
        <TokenSecret secret={made.secret ?? ''}>
          {rich(
            'It signs what is sent to {url}. Verify the header X-Svc-Signature-256 with it. A ping is on its way.',
            { url: made.url },
          )}
        </TokenSecret>
      )}
      {hooks.length === 0 ? (
        <EmptyState icon="webhook" title={t('No webhooks yet')}>
          {t('Add one to start a build, tell a chat room or wake an agent when something happens.')}
        </EmptyState>
      ) : (
        <List label={t('Webhooks')}>
          {hooks.map((hook) => (
            <HookRow visit={visit} kind={owner.kind} hook={hook} />
          ))}
        </List>
      )}
      {owner.isEditable && hooks.length < MAX_WEBHOOKS && (
        <Card title={t('New webhook')}>
          <Form
            action={here}
            csrf={visit.csrf}
            error={typed ? formError(visit, 'url', 'events', 'secret') : null}
          >
            <HookFields visit={visit} shown={{ url: '', events: [] }} typed={typed} isNew />
            <FormActions>
              <Button variant="primary" icon="plus">
                {t('Add webhook')}
              </Button>
            </FormActions>
          </Form>
        </Card>
      )}
      {hooks.length >= MAX_WEBHOOKS && (
        <p class="muted">
          {t('There are {max} webhooks, which is the maximum.', { max: String(MAX_WEBHOOKS) })}
        </p>
      )}
    </>,
  )
}

async function load(kind: OwnerKind, visit: Visit): Promise<Omit<HooksPageData, 'made'> | null> {
  const owner = await loadWebhookOwner(kind, visit)
  return (
    owner && {
      owner,
      hooks: (await visit.call(listWebhooks, { ...targetOf(kind, visit), per_page: 100 })).items,
    }
  )
}

export function listPages(kind: OwnerKind): { page: Page; forms: readonly SiteForm[] } {
  const hooksPage = page({
    path: BASE[kind],
    load: (visit) => load(kind, visit),
    view: (shown, visit) => <HooksView visit={visit} {...shown} made={null} />,
  })

  /**
   * Responds with the page and not with a redirect, because the secret is shown once and not
   * stored.
   */
  const newForm = action({
    path: BASE[kind],
    page: hooksPage,
    submit: async (visit, fields) => {
      const made = await visit.call(createWebhook, {
        ...targetOf(kind, visit),
        url: fields.text('url').trim(),
        events: eventsFrom(fields),
        secret: fields.optional('secret'),
      })
      const shown = await load(kind, visit)
      if (shown === null) return hooksPath(kind, visit)
      return pageResponse(visit, <HooksView visit={visit} {...shown} made={made} />)
    },
  })

  return { page: hooksPage, forms: [newForm] }
}
