import { listIntegrations, type Integration } from '#features/integrations/index.ts'
import {
  getModelRoutes,
  MODEL_TASKS,
  getModelGateway,
  setModelGateway,
  setModelRoutes,
  type ModelGateway,
  type ModelRoute,
  type ModelTask,
} from '#features/models/index.ts'
import type { Workspace } from '#features/workspaces/index.ts'
import {
  Button,
  Card,
  EmptyState,
  Field,
  Form,
  FormActions,
  LinkButton,
  PageHead,
  Select,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { action, page, redirectWithFlash, type Fields, type Visit } from '../../site.ts'
import { localized, t } from '../../text.ts'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { GatewayCard } from './gateway-card.tsx'
import {
  BASE,
  frame,
  integrationsPath,
  loadWorkspace,
  modelsPath,
  slugOf,
  usagePath,
} from './owner.tsx'

const TASKS: Readonly<Record<ModelTask, { readonly label: string; readonly hint: string }>> =
  localized({
    default: { label: 'Default', hint: 'Every task without a model of its own.' },
    code: { label: 'Code', hint: 'The built-in agent, when an issue is given to it.' },
    review: { label: 'Review', hint: 'Reviews of pull requests.' },
    plan: { label: 'Plan', hint: 'Plans that break a brief into issues.' },
    summarize: { label: 'Summarize', hint: 'Summaries of pull requests.' },
    triage: {
      label: 'Triage',
      hint: 'Proposals for new issues, where the settings of a repository switch them on.',
    },
    assistant: { label: 'Assistant', hint: 'Questions about a repository.' },
    embed: { label: 'Embed', hint: 'Embeddings for external programs.' },
  })

/** The default is first, because it is often enough. */
const ORDER: readonly ModelTask[] = ['default', ...MODEL_TASKS.filter((task) => task !== 'default')]

/** A model as an option: the integration and the name of the model. */
const optionOf = ({ integration, model }: { integration: string; model: string }): string =>
  `${integration} ${model}`

/** The models that its owner lists; else those that the provider lists itself. */
const modelNames = ({ config, offered_models }: Integration): readonly string[] =>
  Array.isArray(config.models) && config.models.length > 0
    ? config.models.map(({ id }: { id: string }) => id)
    : offered_models

function optionsOf(
  providers: readonly Integration[],
  routes: readonly ModelRoute[],
): { value: string; label: string }[] {
  const listed = providers.flatMap((provider) =>
    modelNames(provider).map((model) => ({ integration: provider.id, model })),
  )
  const used = routes.flatMap((route) => [route, ...route.fallback])
  const values = new Map([...listed, ...used].map((one) => [optionOf(one), one]))
  return [...values].map(([value, { integration, model }]) => ({
    value,
    label: `${model} · ${providers.find(({ id }) => id === integration)?.name ?? integration}`,
  }))
}

type Shown = {
  readonly gateway: ModelGateway
  readonly workspace: Workspace
  readonly providers: readonly Integration[]
  readonly routes: readonly ModelRoute[]
}

const TaskFields = ({
  visit,
  task,
  route,
  options,
}: {
  visit: Visit
  task: ModelTask
  route: ModelRoute | undefined
  options: readonly { value: string; label: string }[]
}) => {
  const { values } = visit.form
  const typed = values.has('model.default')
  const [next] = route?.fallback ?? []
  const shown = (name: string, stored: string | number | null | undefined): string =>
    typed ? values.text(`${name}.${task}`) : String(stored ?? '')
  const none = { value: '', label: t('None') }
  return (
    <Card title={TASKS[task].label}>
      <p class="muted">{TASKS[task].hint}</p>
      <Select
        name={`model.${task}`}
        label={t('Model')}
        areNames
        value={shown('model', route && optionOf(route))}
        options={[none, ...options]}
      />
      <Select
        name={`fallback.${task}`}
        label={t('When it fails')}
        areNames
        value={shown('fallback', next && optionOf(next))}
        options={[none, ...options]}
      />
      <Field
        name={`max_usd.${task}`}
        label={t('Maximum cost of a run, in US dollars')}
        inputmode="decimal"
        value={shown('max_usd', route?.max_usd)}
        error={fieldError(visit, `max_usd.${task}`)}
      />
      <Field
        name={`max_output_tokens.${task}`}
        label={t('Longest answer in tokens')}
        inputmode="numeric"
        value={shown('max_output_tokens', route?.max_output_tokens)}
        error={fieldError(visit, `max_output_tokens.${task}`)}
      />
    </Card>
  )
}

const ModelsView = ({
  visit,
  workspace,
  providers,
  routes,
  gateway,
}: Shown & { visit: Visit }): Html => {
  const { slug } = workspace
  const options = optionsOf(providers, routes)
  return frame(
    visit,
    workspace,
    t('Models'),
    'models',
    <>
      <PageHead
        title={t('Models')}
        lead={t('Which model does which task of {name}.', { name: slug })}
        actions={
          <>
            <LinkButton href={usagePath(slug)}>{t('Usage')}</LinkButton>
            <LinkButton href={integrationsPath(slug)}>{t('Integrations')}</LinkButton>
          </>
        }
      />
      {options.length === 0 ? (
        <EmptyState icon="agent" title={t('No models yet')}>
          {t(
            'Connect a model provider, then choose a model for each task here. A provider that does not list its models has a field for their names.',
          )}{' '}
          <a href={integrationsPath(slug)}>{t('Connect a model provider')}</a>
        </EmptyState>
      ) : (
        <>
          <Form
            action={modelsPath(slug)}
            csrf={visit.csrf}
            error={formError(visitForForm(visit, modelsPath(slug)))}
          >
            {ORDER.map((task) => (
              <TaskFields
                visit={visit}
                task={task}
                route={routes.find((route) => route.task === task)}
                options={options}
              />
            ))}
            <FormActions>
              <Button variant="primary">{t('Save')}</Button>
            </FormActions>
          </Form>
          <GatewayCard visit={visit} slug={slug} gateway={gateway} />
        </>
      )}
    </>,
  )
}

async function load(visit: Visit): Promise<Shown | null> {
  const workspace = await loadWorkspace(visit)
  if (workspace === null) return null
  const target = { workspace: workspace.slug }
  const { items } = await visit.call(listIntegrations, { ...target, per_page: 100 })
  return {
    workspace,
    providers: items.filter(({ kind }) => kind === 'model_provider'),
    routes: (await visit.call(getModelRoutes, target)).routes,
    gateway: await visit.call(getModelGateway, target),
  }
}

export const modelsPage = page({
  path: `${BASE}/models`,
  load,
  view: (shown, visit) => <ModelsView visit={visit} {...shown} />,
})

const readOption = (text: string): { integration: string; model: string } => {
  const at = text.indexOf(' ')
  return { integration: text.slice(0, at), model: text.slice(at + 1) }
}

/** The route of a task. What the form does not show stays: temperature and further fallbacks. */
function routeFrom(fields: Fields, task: ModelTask, before: ModelRoute | undefined): ModelRoute[] {
  const model = fields.optional(`model.${task}`)
  if (model === undefined) return []
  const next = fields.optional(`fallback.${task}`)
  return [
    {
      task,
      ...readOption(model),
      max_output_tokens: fields.number(`max_output_tokens.${task}`) ?? null,
      temperature: before?.temperature ?? null,
      max_usd: fields.number(`max_usd.${task}`) ?? null,
      fallback: next === undefined ? [] : [readOption(next), ...(before?.fallback.slice(1) ?? [])],
    },
  ]
}

export const modelsForm = action({
  path: `${BASE}/models`,
  page: modelsPage,
  submit: async (visit, fields) => {
    const workspace = slugOf(visit)
    const { routes } = await visit.call(getModelRoutes, { workspace })
    await visit.call(setModelRoutes, {
      workspace,
      routes: MODEL_TASKS.flatMap((task) =>
        routeFrom(
          fields,
          task,
          routes.find((route) => route.task === task),
        ),
      ),
    })
    return redirectWithFlash(visit, modelsPath(workspace), 'saved')
  },
})

export const gatewayForm = action({
  path: `${BASE}/models/gateway`,
  page: modelsPage,
  submit: async (visit, fields) => {
    const workspace = slugOf(visit)
    await visit.call(setModelGateway, {
      workspace,
      enabled: fields.ticked('enabled'),
      max_usd_per_day: fields.number('max_usd_per_day') ?? null,
    })
    return redirectWithFlash(visit, modelsPath(workspace), 'saved')
  },
})
