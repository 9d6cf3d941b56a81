// The blocks of the side panel of a form for an issue or a pull request: a picker for each field.
import type { Label, Milestone } from '#features/issues/index.ts'
import {
  Field,
  FieldPicker,
  labelOption,
  personOption,
  SideBlock,
  type ActorSummary,
  type PickerOption,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import type { Visit } from '../../site.ts'
import { fieldError } from '../shell.tsx'
import { t } from '../../text.ts'

type PickBlockProps = {
  visit: Visit
  name: string
  title: string
  none: string
  options: readonly PickerOption[]
  chosen: readonly string[]
  single?: boolean
  /** A field before the picker. */
  before?: Child
  children?: Child
}

/** A picker in a block; what is chosen is shown below it by the script. */
const PickBlock = (props: PickBlockProps) => {
  const { visit, name } = props
  const typed = visit.form.values.has(name) ? visit.form.values.list(name, ',') : props.chosen
  const isChosen = new Set(typed)
  const error = fieldError(visit, name)
  const options = props.options.map((option) => ({
    ...option,
    chosen: isChosen.has(option.value ?? ''),
  }))
  const shown = options.filter(({ chosen, value }) => chosen && value !== '')
  return (
    <SideBlock title={props.title}>
      {props.before}
      <FieldPicker
        small
        name={name}
        label={props.title}
        summary={t('Choose')}
        single={props.single}
        options={options}
        open={error !== null}
        empty={props.none}
      >
        {props.children}
      </FieldPicker>
      {error !== null && <p class="field-error">{error}</p>}
      <p class="picker-chosen" data-picker-chosen aria-live="polite">
        {shown.map((option) => (
          <span>
            {option.mark} {option.shown ?? option.label}
          </span>
        ))}
      </p>
    </SideBlock>
  )
}

type FormBlock = { visit: Visit; chosen: readonly string[] }

/** `mayCreate` adds a field for labels that do not exist yet. */
export const LabelsBlock = ({
  visit,
  labels,
  chosen,
  mayCreate,
}: FormBlock & { labels: readonly Label[]; mayCreate: boolean }) => {
  const typed = visit.form.values.has('labels') ? visit.form.values.list('labels', ',') : chosen
  const unknown = typed.filter((name) => !labels.some((label) => label.name === name))
  return (
    <PickBlock
      visit={visit}
      name="labels"
      title={t('Labels')}
      none={t('This repository has no labels.')}
      options={labels.map(labelOption)}
      chosen={chosen}
      // The first field of this name can be filled in, by scripts of others too.
      before={
        mayCreate && (
          <Field
            id="new-labels"
            name="labels"
            label={t('New labels')}
            hint={t('Separated by commas.')}
            value={unknown.join(', ')}
            unmarked
          />
        )
      }
    />
  )
}

export const AssigneesBlock = ({
  visit,
  people,
  chosen,
}: FormBlock & { people: readonly ActorSummary[] }) => (
  <PickBlock
    visit={visit}
    name="assignees"
    title={t('Assignees')}
    none={t('No people have access.')}
    options={people.map(personOption)}
    chosen={chosen}
  />
)

export const MilestoneBlock = ({
  visit,
  milestones,
  chosen,
}: FormBlock & { milestones: readonly Pick<Milestone, 'id' | 'title'>[] }) => (
  <PickBlock
    visit={visit}
    name="milestone"
    title={t('Milestone')}
    none={t('This repository has no open milestones.')}
    single
    options={
      milestones.length === 0
        ? []
        : [
            { value: '', label: t('No milestone') },
            ...milestones.map(({ id, title }) => ({ value: id, label: title })),
          ]
    }
    chosen={chosen}
  />
)
