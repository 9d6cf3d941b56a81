import {
  connectIntegration,
  getIntegrationCatalogue,
  listIntegrations,
  MAX_INTEGRATIONS,
  type CatalogueEntry,
  type Integration,
} from '#features/integrations/index.ts'
import type { Workspace } from '#features/workspaces/index.ts'
import {
  Button,
  Card,
  EmptyState,
  Form,
  FormActions,
  LinkButton,
  List,
  PageHead,
  RelativeTime,
  Row,
  Select,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { translateMessage } from '../../messages.ts'
import { rich, t } from '../../text.ts'
import { formError } from '../shell.tsx'
import { configFrom, fieldNames, IntegrationFields } from './fields.tsx'
import {
  BASE,
  frame,
  integrationPath,
  integrationsPath,
  loadWorkspace,
  modelsPath,
  slugOf,
} from './owner.tsx'
import { IntegrationStatus, onlySends } from './status.tsx'

const IntegrationRow = ({
  slug,
  integration,
  service,
}: {
  slug: string
  integration: Integration
  service: string
}) => (
  <Row
    title={
      <a class="row-link" href={integrationPath(slug, integration.id)}>
        {integration.name}
      </a>
    }
    meta={
      <>
        {service !== integration.name && <span>{service}</span>}
        {integration.last_checked_at !== null && !onlySends(integration) && (
          <span>
            {rich('tested {time}', { time: <RelativeTime at={integration.last_checked_at} /> })}
          </span>
        )}
        {integration.last_error !== null && <span>{integration.last_error}</span>}
      </>
    }
    end={<IntegrationStatus status={integration.status} />}
  />
)

/** Two steps: the provider is chosen first, because it decides about the fields. */
const Connect = ({
  visit,
  slug,
  catalogue,
  chosen,
}: {
  visit: Visit
  slug: string
  catalogue: readonly CatalogueEntry[]
  chosen: CatalogueEntry | null
}) => (
  <Card title={t('Connect a service')} id="connect">
    <Form action={`${integrationsPath(slug)}#connect`} method="get">
      <Select
        name="provider"
        label={t('Service')}
        required
        value={chosen?.provider ?? null}
        options={catalogue.map(({ provider, title }) => ({
          value: provider,
          label: translateMessage(title),
        }))}
      />
      <FormActions>
        <Button>{t('Choose')}</Button>
      </FormActions>
    </Form>
    {chosen && (
      <>
        <p class="muted">{translateMessage(chosen.description)}</p>
        <Form
          action={integrationsPath(slug)}
          csrf={visit.csrf}
          error={formError(visit, ...fieldNames(chosen))}
        >
          <input type="hidden" name="provider" value={chosen.provider} />
          <IntegrationFields visit={visit} entry={chosen} shown={null} />
          <FormActions>
            <Button variant="primary" icon="plus">
              {t('Connect')}
            </Button>
          </FormActions>
        </Form>
      </>
    )}
  </Card>
)

type Shown = {
  readonly workspace: Workspace
  readonly items: readonly Integration[]
  readonly catalogue: readonly CatalogueEntry[]
  readonly chosen: CatalogueEntry | null
}

const IntegrationsView = ({
  visit,
  workspace,
  items,
  catalogue,
  chosen,
}: Shown & { visit: Visit }): Html =>
  frame(
    visit,
    workspace,
    t('Integrations'),
    'integrations',
    <>
      <PageHead
        title={t('Integrations')}
        lead={t(
          'Services that {name} uses: models, ticket trackers, error trackers and monitoring.',
          {
            name: workspace.slug,
          },
        )}
        actions={<LinkButton href={modelsPath(workspace.slug)}>{t('Models')}</LinkButton>}
      />
      {items.length === 0 ? (
        <EmptyState icon="webhook" title={t('No integrations yet')}>
          {t(
            'Connect a model provider to give issues to the built-in agent, or a service whose alerts become issues.',
          )}
        </EmptyState>
      ) : (
        <List label={t('Integrations')}>
          {items.map((integration) => (
            <IntegrationRow
              slug={workspace.slug}
              integration={integration}
              service={translateMessage(
                catalogue.find(({ provider }) => provider === integration.provider)?.title ??
                  integration.provider,
              )}
            />
          ))}
        </List>
      )}
      {items.length < MAX_INTEGRATIONS ? (
        <Connect visit={visit} slug={workspace.slug} catalogue={catalogue} chosen={chosen} />
      ) : (
        <p class="muted">
          {t('There are {max} integrations, which is the maximum.', {
            max: String(MAX_INTEGRATIONS),
          })}
        </p>
      )}
    </>,
  )

async function load(visit: Visit): Promise<Shown | null> {
  const workspace = await loadWorkspace(visit)
  if (workspace === null) return null
  const target = { workspace: workspace.slug }
  const catalogue = await visit.call(getIntegrationCatalogue, target)
  const wanted =
    visit.form.values.optional('provider') ?? visit.url.searchParams.get('provider') ?? ''
  return {
    workspace,
    catalogue,
    items: (await visit.call(listIntegrations, { ...target, per_page: 100 })).items,
    chosen: catalogue.find(({ provider }) => provider === wanted) ?? null,
  }
}

export const integrationsPage = page({
  path: BASE,
  load,
  view: (shown, visit) => <IntegrationsView visit={visit} {...shown} />,
})

export const connectForm = action({
  path: BASE,
  page: integrationsPage,
  submit: async (visit, fields) => {
    const slug = slugOf(visit)
    const provider = fields.text('provider')
    const catalogue = await visit.call(getIntegrationCatalogue, { workspace: slug })
    const entry = catalogue.find((one) => one.provider === provider)
    const made = await visit.call(connectIntegration, {
      workspace: slug,
      provider,
      name: fields.optional('name'),
      config: entry ? configFrom(entry, fields) : {},
      secret: fields.optional('secret'),
    })
    const here = integrationPath(slug, made.id)
    if (onlySends(made)) return redirectWithFlash(visit, here, 'integration-added')
    return redirectWithFlash(
      visit,
      here,
      made.status === 'connected' ? 'integration-connected' : 'integration-failing',
    )
  },
})
