// The questions of an issue form.
import type { Repo } from '#features/repos/index.ts'
import {
  Checkbox,
  Field,
  FieldSet,
  MarkdownBody,
  Select,
  TextArea,
} from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { fieldError } from '../shell.tsx'
import { markdownOf } from './conversation.tsx'
import { fieldName, type FormField } from './templates.ts'
import { t } from '../../text.ts'

type Props = { visit: Visit; repo: Repo; name: string }

const Question = ({ visit, repo, name, field }: Props & { field: FormField }) => {
  const typed = visit.form.values
  const text = (start: string) => (typed.has(name) ? typed.text(name) : start)
  if (field.kind === 'markdown')
    return <MarkdownBody text={field.text} options={markdownOf(visit, repo.full_name)} />
  const shared = {
    name,
    label: field.label,
    hint: field.description === '' ? undefined : field.description,
    required: field.required,
    error: fieldError(visit, name),
  }
  switch (field.kind) {
    case 'input':
      return (
        <Field
          {...shared}
          placeholder={field.placeholder}
          maxlength={1000}
          value={text(field.value)}
        />
      )
    case 'textarea':
      return (
        <TextArea
          {...shared}
          rows={5}
          placeholder={field.placeholder}
          mono={field.render !== null}
          markdown={field.render === null ? repo.full_name : undefined}
          value={text(field.value)}
        />
      )
    case 'dropdown':
      return field.multiple ? (
        <Ticks {...{ visit, repo, name, field }} labels={field.options} />
      ) : (
        <Select
          {...shared}
          options={[
            { value: '', label: t('Choose one') },
            ...field.options.map((option) => ({ value: option, label: option })),
          ]}
          value={text('')}
        />
      )
    case 'checkboxes':
      return (
        <Ticks {...{ visit, repo, name, field }} labels={field.options.map(({ label }) => label)} />
      )
  }
}

const Ticks = ({
  visit,
  name,
  field,
  labels,
}: Props & {
  field: Exclude<FormField, { kind: 'markdown' }>
  labels: readonly string[]
}) => {
  const ticked = new Set(visit.form.values.all(name))
  return (
    <FieldSet
      legend={field.label}
      hint={field.description || undefined}
      error={fieldError(visit, name)}
    >
      {labels.map((label, index) => (
        <Checkbox
          id={`${name}-${index}`}
          name={name}
          value={label}
          label={label}
          checked={ticked.has(label)}
        />
      ))}
    </FieldSet>
  )
}

export const TemplateFields = ({
  visit,
  repo,
  fields,
}: {
  visit: Visit
  repo: Repo
  fields: readonly FormField[]
}) => (
  <>
    {fields.map((field, index) => (
      <Question visit={visit} repo={repo} name={fieldName(index)} field={field} />
    ))}
  </>
)
