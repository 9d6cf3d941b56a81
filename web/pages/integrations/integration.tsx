import {
  disconnectIntegration,
  getIntegrationCatalogue,
  listIntegrations,
  testIntegration,
  updateIntegration,
  type CatalogueEntry,
  type Integration,
} from '#features/integrations/index.ts'
import type { Workspace } from '#features/workspaces/index.ts'
import {
  ActionButton,
  Breadcrumbs,
  Button,
  Card,
  Facts,
  Form,
  FormActions,
  LinkButton,
  PageHead,
  RelativeTime,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { action, page, redirectWithFlash, type Visit } from '../../site.ts'
import { translateMessage } from '../../messages.ts'
import { t, texts } from '../../text.ts'
import { formError } from '../shell.tsx'
import { IncomingCard, incomingForms, loadIncoming, type Incoming } from './incoming-card.tsx'
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

/** How fast a model of the provider wrote when somebody tested it; null before that. */
function speedText(speed: Integration['speed']): string | null {
  if (speed === null) return null
  const { model, first_token_ms, tokens_per_second, error } = speed
  if (error !== null) return t('{model} gave no answer: {error}', { model, error })
  if (first_token_ms === null) return t('{model} wrote nothing', { model })
  return tokens_per_second === null
    ? t('{model}: first token after {first_token_ms} ms', { model, first_token_ms })
    : t(
        '{model}: first token after {first_token_ms} ms, then {tokens_per_second} tokens a second',
        {
          model,
          first_token_ms,
          tokens_per_second,
        },
      )
}

type Shown = {
  readonly workspace: Workspace
  readonly integration: Integration
  readonly entry: CatalogueEntry | null
  readonly incoming: Incoming | null
}

const DISCONNECT_EFFECTS: Readonly<Record<Integration['kind'], string>> = texts({
  model_provider: 'Deletes the secret. Tasks that use one of its models lose that model.',
  ticket_tracker: 'Deletes the secret and the address for events. Issues stay.',
  error_tracker: 'The address for events ends. Issues stay.',
  monitoring: 'The address for events ends. Issues stay.',
  webhook: 'The address for events ends. Issues stay.',
})

const Actions = ({ visit, workspace, integration }: Shown & { visit: Visit }) => {
  const here = integrationPath(workspace.slug, integration.id)
  return (
    <>
      {integration.enabled && !onlySends(integration) && (
        <ActionButton action={`${here}/test`} csrf={visit.csrf}>
          <Button icon="play">{t('Test connection')}</Button>
        </ActionButton>
      )}
      <ActionButton
        action={`${here}/enabled`}
        csrf={visit.csrf}
        values={{ enabled: String(!integration.enabled) }}
      >
        <Button icon={integration.enabled ? 'stop' : 'check'}>
          {integration.enabled ? t('Switch off') : t('Switch on')}
        </Button>
      </ActionButton>
    </>
  )
}

const Editing = ({ visit, workspace, integration, entry }: Shown & { visit: Visit }) => {
  const here = integrationPath(workspace.slug, integration.id)
  return (
    <>
      {entry && (
        <Card title={t('Settings')}>
          <Form
            action={here}
            csrf={visit.csrf}
            error={visit.form.values.has('name') ? formError(visit, ...fieldNames(entry)) : null}
          >
            <IntegrationFields visit={visit} entry={entry} shown={integration} />
            <FormActions>
              <Button variant="primary">{t('Save')}</Button>
            </FormActions>
          </Form>
        </Card>
      )}
      <Card title={t('Disconnect')} tone="bad">
        <p>{DISCONNECT_EFFECTS[integration.kind]}</p>
        <FormActions>
          <ActionButton action={`${here}/disconnect`} csrf={visit.csrf}>
            <Button variant="danger" icon="trash">
              {t('Disconnect')}
            </Button>
          </ActionButton>
        </FormActions>
      </Card>
    </>
  )
}

const IntegrationView = (props: Shown & { visit: Visit }): Html => {
  const { visit, workspace, integration, entry, incoming } = props
  const { slug } = workspace
  const speed = speedText(integration.speed)
  return frame(
    visit,
    workspace,
    integration.name,
    'integrations',
    <>
      <Breadcrumbs
        parts={[
          { label: t('Integrations'), href: integrationsPath(slug) },
          { label: integration.name },
        ]}
      />
      <PageHead
        title={integration.name}
        lead={<IntegrationStatus status={integration.status} />}
        actions={<Actions {...props} />}
      />
      {integration.last_error !== null && integration.enabled && (
        <p class="notice notice-bad">{integration.last_error}</p>
      )}
      <Facts
        facts={[
          { label: t('Service'), value: translateMessage(entry?.title ?? integration.provider) },
          ...(integration.last_checked_at === null || onlySends(integration)
            ? []
            : [{ label: t('Tested'), value: <RelativeTime at={integration.last_checked_at} /> }]),
          ...(speed === null ? [] : [{ label: t('Speed'), value: speed }]),
        ]}
      />
      {integration.kind === 'model_provider' && (
        <p>
          <LinkButton href={modelsPath(slug)}>{t('Choose what its models do')}</LinkButton>
        </p>
      )}
      {incoming && <IncomingCard visit={visit} integration={integration} incoming={incoming} />}
      <Editing {...props} />
    </>,
  )
}

const findShown = async (visit: Visit, workspace: string): Promise<Integration | undefined> =>
  (await visit.call(listIntegrations, { workspace, per_page: 100 })).items.find(
    ({ id }) => id === visit.params.id,
  )

async function load(visit: Visit): Promise<Shown | null> {
  const workspace = await loadWorkspace(visit)
  const integration = workspace && (await findShown(visit, workspace.slug))
  if (!workspace || !integration) return null
  const catalogue = await visit.call(getIntegrationCatalogue, { workspace: workspace.slug })
  const entry = catalogue.find(({ provider }) => provider === integration.provider) ?? null
  const incoming = await loadIncoming(visit, integration)
  return { workspace, integration, entry, incoming }
}

export const integrationPage = page({
  path: `${BASE}/:id`,
  load,
  view: (shown, visit) => <IntegrationView visit={visit} {...shown} />,
})

const target = (visit: Visit) => ({ workspace: slugOf(visit), id: visit.params.id ?? '' })
const hereOf = (visit: Visit): string => integrationPath(slugOf(visit), visit.params.id ?? '')

const updateForm = action({
  path: `${BASE}/:id`,
  page: integrationPage,
  submit: async (visit, fields) => {
    const shown = await load(visit)
    await visit.call(updateIntegration, {
      ...target(visit),
      name: fields.text('name'),
      config: shown?.entry ? configFrom(shown.entry, fields) : undefined,
      secret: fields.optional('secret'),
    })
    return redirectWithFlash(visit, hereOf(visit), 'saved')
  },
})

const enabledForm = action({
  path: `${BASE}/:id/enabled`,
  page: integrationPage,
  submit: async (visit, fields) => {
    const enabled = fields.ticked('enabled')
    await visit.call(updateIntegration, { ...target(visit), enabled })
    return redirectWithFlash(visit, hereOf(visit), 'saved')
  },
})

const testForm = action({
  path: `${BASE}/:id/test`,
  page: integrationPage,
  submit: async (visit) => {
    const { ok } = await visit.call(testIntegration, target(visit))
    return redirectWithFlash(
      visit,
      hereOf(visit),
      ok ? 'integration-connected' : 'integration-test-failed',
    )
  },
})

const disconnectForm = action({
  path: `${BASE}/:id/disconnect`,
  page: integrationPage,
  submit: async (visit) => {
    await visit.call(disconnectIntegration, target(visit))
    return redirectWithFlash(visit, integrationsPath(slugOf(visit)), 'integration-disconnected')
  },
})

export const integrationForms = [
  updateForm,
  enabledForm,
  testForm,
  disconnectForm,
  ...incomingForms(integrationPage),
]
