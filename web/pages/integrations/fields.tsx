// The fields of an integration: name, configuration, secret.
import type { CatalogueEntry, Integration } from '#features/integrations/index.ts'
import { invalid } from '#lib/errors.ts'
import { Field, Select, TextArea } from '../../components/index.ts'
import type { Fields, Visit } from '../../site.ts'
import { fieldError } from '../shell.tsx'
import { translateMessage } from '../../messages.ts'
import { localized, t, texts } from '../../text.ts'

type Property = {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly examples?: readonly string[]
}

const LABELS: Readonly<Record<string, { readonly label: string; readonly hint?: string }>> =
  localized({
    base_url: { label: 'Address' },
    organization: { label: 'Organization', hint: 'Its short name in addresses.' },
    email: { label: 'Email', hint: 'Of the account that made the token; for Jira Cloud.' },
    timeout_seconds: { label: 'Time limit in seconds', hint: '600 when empty.' },
    concurrency: {
      label: 'Calls at once',
      hint: 'Further calls wait. Empty means 8, and 2 for models on your own machines.',
    },
    wire: { label: 'Interface' },
    id_pointer: {
      label: 'Where its id is',
      hint: 'A JSON pointer. Events with the same id are one issue.',
    },
    title_pointer: { label: 'Where its title is', hint: 'A JSON pointer.' },
    text_pointer: { label: 'Where its text is', hint: 'A JSON pointer.' },
    url_pointer: { label: 'Where its address is', hint: 'A JSON pointer.' },
    state_pointer: { label: 'Where its state is', hint: 'A JSON pointer.' },
    update_url: {
      label: 'Where changes are sent',
      hint: 'What becomes of the issues is sent there as JSON.',
    },
    closed_values: { label: 'States that close the issue', hint: 'Separated by commas.' },
    models: {
      label: 'Models',
      hint: 'One per line, such as small, 0.25, 2. In this order, with commas: name, price of input, price of output, price of cached input, context, longest answer. Prices are in US dollars for a million tokens; all but the name may be left out. When empty, those that the service lists can be chosen, at no price.',
    },
  })

/** Choices whose names are for programs. */
const CHOICES: Readonly<Record<string, string>> = texts({
  chat_completions: 'OpenAI (chat completions)',
  messages: 'Anthropic (messages)',
})

const propertiesOf = (entry: CatalogueEntry): [string, Property][] =>
  Object.entries((entry.config_schema.properties ?? {}) as Record<string, Property>)

const requiredOf = (entry: CatalogueEntry): readonly string[] =>
  (entry.config_schema.required ?? []) as readonly string[]

const COLUMNS = [
  'usd_per_million_input',
  'usd_per_million_output',
  'usd_per_million_cached_input',
  'context_tokens',
  'max_output_tokens',
] as const

/** Models as lines of the form. */
export function modelLines(models: unknown): string {
  if (!Array.isArray(models)) return ''
  return (models as Record<string, unknown>[])
    .map((model) => {
      const rest = COLUMNS.map((name) => model[name] ?? '')
      return [model.id, ...rest].join(', ').replace(/(, )+$/, '')
    })
    .join('\n')
}

function readModels(lines: readonly string[]): Record<string, unknown>[] {
  return lines.map((line, index) => {
    const [id, ...values] = line.split(',').map((part) => part.trim())
    if (values.length > COLUMNS.length)
      throw invalid(
        'config.models',
        t('Line {line} has more than six values.', { line: index + 1 }),
      )
    const model: Record<string, unknown> = { id }
    values.forEach((value, at) => {
      const column = COLUMNS[at]
      if (value === '' || column === undefined) return
      if (!Number.isFinite(Number(value)))
        throw invalid(
          'config.models',
          t('Line {line}: {value} is not a number.', { line: index + 1, value }),
        )
      model[column] = Number(value)
    })
    return model
  })
}

/** The configuration that a form contains. */
export function configFrom(entry: CatalogueEntry, fields: Fields): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  for (const [name, property] of propertiesOf(entry)) {
    const text = fields.optional(`config.${name}`)
    if (text === undefined) continue
    if (name === 'models') config.models = readModels(fields.list('config.models'))
    else config[name] = property.type === 'integer' ? Number(text) : text
  }
  return config
}

const ConfigField = ({
  name,
  property,
  value,
  required,
  error,
}: {
  name: string
  property: Property
  value: string
  required: boolean
  error: string | null
}) => {
  const { label, hint } = LABELS[name] ?? { label: name }
  const field = { name: `config.${name}`, label, error, ...(hint === undefined ? {} : { hint }) }
  if (name === 'models') return <TextArea {...field} rows={4} mono value={value} />
  if (property.enum)
    return (
      <Select
        {...field}
        areNames
        value={value || property.enum[0]}
        options={property.enum.map((word) => ({ value: word, label: CHOICES[word] ?? word }))}
      />
    )
  return (
    <Field
      {...field}
      type={property.type === 'integer' ? 'number' : 'text'}
      mono
      required={required}
      value={value}
      placeholder={property.examples?.[0]}
    />
  )
}

/** `shown` is the integration that is changed; null for a new one. */
export const IntegrationFields = ({
  visit,
  entry,
  shown,
}: {
  visit: Visit
  entry: CatalogueEntry
  shown: Integration | null
}) => {
  const { values } = visit.form
  const typed = values.has('name')
  const config = shown?.config ?? {}
  const stored = (name: string): string =>
    name === 'models' ? modelLines(config.models) : String(config[name] ?? '')
  const error = (field: string): string | null => (typed ? fieldError(visit, field) : null)
  return (
    <>
      <Field
        name="name"
        label={t('Name')}
        required
        maxlength={100}
        value={typed ? values.text('name') : (shown?.name ?? translateMessage(entry.title))}
        error={error('name')}
      />
      {propertiesOf(entry).map(([name, property]) => (
        <ConfigField
          name={name}
          property={property}
          value={typed ? values.text(`config.${name}`) : stored(name)}
          required={requiredOf(entry).includes(name)}
          error={error(`config.${name}`)}
        />
      ))}
      {entry.secret && (
        <Field
          name="secret"
          type="password"
          autocomplete="new-password"
          label={translateMessage(entry.secret.title)}
          required={shown === null && entry.secret.required}
          maxlength={8192}
          error={error('secret')}
          hint={
            shown?.has_secret
              ? t('Stored encrypted and never shown. Empty keeps the present one.')
              : t('Stored encrypted and never shown.')
          }
        />
      )}
    </>
  )
}

/** The names of the fields that show their own errors. */
export const fieldNames = (entry: CatalogueEntry): string[] => [
  'name',
  'secret',
  ...propertiesOf(entry).map(([name]) => `config.${name}`),
]
