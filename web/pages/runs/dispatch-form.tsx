// The form that starts a workflow by hand, with a field for each input that its file declares.
import { declaredInputs, type DeclaredInput, type Workflow } from '#features/workflows/index.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  Button,
  Card,
  Checkbox,
  Field,
  Form,
  FormActions,
  htmlBytes,
  Select,
  TextBeginning,
} from '../../components/index.ts'
import { codePath } from '../../paths.ts'
import type { Fields, Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { choicesWithin, findChoices, type Choices } from '../choices.ts'
import { NamePicker } from '../repos/name-pickers.tsx'
import { fieldError, formError } from '../shell.tsx'

const fieldOf = (name: string): string => `inputs.${name}`

/** The inputs of a sent form. Inputs without a field have the default of the file. */
export function readInputs(visit: Visit, fields: Fields, repo: Repo): Record<string, string> {
  const declared = declaredInputs(visit.hearth, repo.id, visit.params.workflowId ?? '') ?? []
  return Object.fromEntries(
    declared.flatMap(({ name, type }) => {
      const field = fieldOf(name)
      if (type === 'boolean') return [[name, String(fields.ticked(field))]]
      return fields.has(field) ? [[name, fields.text(field)]] : []
    }),
  )
}

/** What all options may take. Where they take more, those with more than their share are searched for. */
const MAX_OPTIONS_BYTES = 24_000
const OPTION_BYTES = 40
/** What all descriptions may take; the file has them whole. */
const MAX_DESCRIPTIONS_BYTES = 8_000

/** An input; `choices` are the options of one with so many that they are searched for. */
export type DispatchInput = DeclaredInput & { readonly choices: Choices<string> | null }

const optionBytes = (option: string): number => OPTION_BYTES + 2 * htmlBytes(option)

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0)

async function searchOptions(
  visit: Visit,
  { name, options }: DeclaredInput,
  maxBytes: number,
): Promise<Choices<string>> {
  const found = await findChoices(visit, fieldOf(name), ({ q, per_page }) => {
    const word = q.toLowerCase()
    const items = options.filter((option) => option.toLowerCase().includes(word))
    return Promise.resolve({ items: items.slice(0, per_page) })
  })
  return choicesWithin(found, maxBytes, optionBytes)
}

/** The inputs that the form has fields for, as the default branch declares them. */
export async function loadInputs(
  visit: Visit,
  repo: Repo,
  { id }: Workflow,
): Promise<readonly DispatchInput[]> {
  const declared = declaredInputs(visit.hearth, repo.id, id) ?? []
  const sizes = declared.map(({ options }) => sumOf(options.map(optionBytes)))
  const share = MAX_OPTIONS_BYTES / sizes.filter((size) => size > 0).length
  const isMuch = sumOf(sizes) > MAX_OPTIONS_BYTES
  return Promise.all(
    declared.map(async (input, at) => ({
      ...input,
      choices: isMuch && (sizes[at] ?? 0) > share ? await searchOptions(visit, input, share) : null,
    })),
  )
}

type InputProps = {
  visit: Visit
  input: DispatchInput
  /** What is shown of the description, and where it is whole. */
  maxBytes: number
  file: string
}

const InputField = ({ visit, input, maxBytes, file }: InputProps) => {
  const { values } = visit.form
  const name = fieldOf(input.name)
  const shared = {
    name,
    label: input.name,
    hint:
      input.description === null ? undefined : (
        <TextBeginning text={input.description} maxBytes={maxBytes} href={file} />
      ),
    error: fieldError(visit, name),
  }
  const isSent = values.has('ref')
  const value = isSent ? values.text(name) : input.default
  if (input.type === 'boolean')
    return (
      <Checkbox {...shared} checked={isSent ? values.ticked(name) : input.default === 'true'} />
    )
  if (input.choices !== null)
    return (
      <NamePicker
        {...shared}
        names={input.choices}
        // As a list without an empty option: the first is chosen where the file says nothing.
        value={value || (input.options[0] ?? '')}
      />
    )
  if (input.type === 'choice')
    return (
      <Select
        {...shared}
        required={input.required}
        options={input.options.map((option) => ({ value: option, label: option }))}
        value={value}
      />
    )
  return (
    <Field
      {...shared}
      required={input.required}
      inputmode={input.type === 'number' ? 'decimal' : undefined}
      value={value}
    />
  )
}

export const DispatchForm = ({
  visit,
  repo,
  workflow,
  inputs,
  action,
}: {
  visit: Visit
  repo: Repo
  workflow: Workflow
  inputs: readonly DispatchInput[]
  action: string
}) => {
  const { values } = visit.form
  const descriptions = inputs.map(({ description }) => htmlBytes(description ?? ''))
  const maxBytes =
    sumOf(descriptions) <= MAX_DESCRIPTIONS_BYTES
      ? MAX_DESCRIPTIONS_BYTES
      : MAX_DESCRIPTIONS_BYTES / inputs.length
  const file = codePath(repo.full_name, 'blob', repo.default_branch, workflow.path)
  return (
    <Card title={t('Run workflow')}>
      <Form
        action={action}
        csrf={visit.csrf}
        error={formError(visit, 'ref', ...inputs.map(({ name }) => fieldOf(name)))}
      >
        <Field
          name="ref"
          label={t('Branch or tag')}
          required
          mono
          value={values.has('ref') ? values.text('ref') : repo.default_branch}
          error={fieldError(visit, 'ref')}
        />
        {inputs.map((input) => (
          <InputField visit={visit} input={input} maxBytes={maxBytes} file={file} />
        ))}
        <FormActions>
          <Button variant="primary" icon="play">
            {t('Run workflow')}
          </Button>
        </FormActions>
      </Form>
    </Card>
  )
}
