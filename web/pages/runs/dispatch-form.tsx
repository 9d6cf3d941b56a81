// The form that starts a workflow by hand, with a field for each input that its file declares.
import { declaredInputs, type DeclaredInput, type Workflow } from '#features/workflows/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { Button, Card, Checkbox, Field, Form, FormActions, Select } from '../../components/index.ts'
import type { Fields, Visit } from '../../site.ts'
import { t } from '../../text.ts'
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

const InputField = ({ visit, input }: { visit: Visit; input: DeclaredInput }) => {
  const { values } = visit.form
  const name = fieldOf(input.name)
  const shared = {
    name,
    label: input.name,
    hint: input.description ?? undefined,
    error: fieldError(visit, name),
  }
  const isSent = values.has('ref')
  const value = isSent ? values.text(name) : input.default
  if (input.type === 'boolean')
    return (
      <Checkbox {...shared} checked={isSent ? values.ticked(name) : input.default === 'true'} />
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
  action,
}: {
  visit: Visit
  repo: Repo
  workflow: Workflow
  action: string
}) => {
  const { values } = visit.form
  const inputs = declaredInputs(visit.hearth, repo.id, workflow.id) ?? []
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
          <InputField visit={visit} input={input} />
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
