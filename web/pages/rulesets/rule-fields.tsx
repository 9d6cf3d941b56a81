// The fields of one rule, which unfold when the rule is ticked.
import type { Ruleset } from '#features/rulesets/index.ts'
import { Checkbox, Field, FieldSet, Select, TextArea } from '../../components/index.ts'
import type { Fields } from '../../site.ts'
import { freezesText, RULE_TYPE_FORMS, windowsText, type FieldSpec } from './rule-types.ts'
import type { Slot } from './slots.ts'
import { t } from '../../text.ts'

type RuleFieldsProps = {
  readonly slot: Slot
  readonly typed: Fields | null
  readonly error: { parameter: string | null; message: string } | null
}

type ParameterFieldProps = Omit<RuleFieldsProps, 'error'> & {
  spec: FieldSpec
  error: string | null
}

/** The typed text of a field, or the stored value. */
function textOf(spec: FieldSpec, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (spec.kind === 'windows') return windowsText(value)
  if (spec.kind === 'freezes') return freezesText(value)
  if (spec.kind === 'size') return String(Number(value) / 1_048_576)
  return Array.isArray(value) ? value.map(String).join('\n') : String(value)
}

const TicksField = ({
  spec,
  slot,
  typed,
  error,
}: ParameterFieldProps & { spec: Extract<FieldSpec, { kind: 'ticks' }> }) => {
  const name = `${slot.key}.${spec.name}`
  const stored = slot.rule?.parameters[spec.name] as string[] | undefined
  const chosen = typed ? typed.all(name) : (stored ?? spec.options.map(({ value }) => value))
  return (
    <FieldSet legend={spec.label} error={error}>
      {spec.options.map(({ value, label }) => (
        <Checkbox
          name={name}
          id={`field-${slot.key}-${spec.name}-${value}`}
          value={value}
          label={label}
          checked={chosen.includes(value)}
        />
      ))}
    </FieldSet>
  )
}

const ParameterField = ({ spec, slot, typed, error }: ParameterFieldProps) => {
  const name = `${slot.key}.${spec.name}`
  const id = `field-${slot.key}-${spec.name}`
  const stored = slot.rule?.parameters[spec.name]
  const text = typed?.has(name) ? typed.text(name) : textOf(spec, stored)
  const common = { name, id, label: spec.label, error }
  switch (spec.kind) {
    case 'flag':
      return (
        <Checkbox
          name={name}
          id={id}
          label={spec.label}
          hint={spec.hint}
          checked={typed ? typed.ticked(name) : stored === true}
        />
      )
    case 'ticks':
      return <TicksField spec={spec} slot={slot} typed={typed} error={error} />
    case 'choice':
      return <Select {...common} options={spec.options} value={text} required />
    case 'number':
      return (
        <Field
          {...common}
          type="number"
          min={spec.min}
          max={spec.max}
          hint={spec.hint}
          value={text}
          inputmode="decimal"
        />
      )
    case 'size':
      return <Field {...common} inputmode="decimal" hint={spec.hint} value={text} />
    case 'text':
      return (
        <Field
          {...common}
          mono={spec.mono}
          hint={spec.hint}
          placeholder={spec.placeholder}
          value={text}
        />
      )
    default:
      return (
        <TextArea
          {...common}
          mono
          rows={Math.min(8, Math.max(2, text.split('\n').length))}
          hint={spec.hint}
          placeholder={spec.placeholder}
          value={text}
        />
      )
  }
}

export const RuleFields = ({ slot, typed, error }: RuleFieldsProps) => {
  const { title, what, fields } = RULE_TYPE_FORMS[slot.type]
  const on = typed ? typed.ticked(`${slot.key}.on`) : slot.rule !== null
  const audience: Ruleset['rules'][number]['applies_to'] = typed
    ? typed.text(`${slot.key}.applies_to`) === 'agents'
      ? 'agents'
      : 'everyone'
    : (slot.rule?.applies_to ?? 'everyone')
  return (
    <div class="rule">
      <Checkbox
        name={`${slot.key}.on`}
        id={`field-${slot.key}-on`}
        label={<span class="strong">{title}</span>}
        hint={what}
        checked={on}
      />
      <div class="rule-fields">
        {error?.parameter === null && (
          <p class="field-error" role="alert">
            {error.message}
          </p>
        )}
        {fields.map((spec) => (
          <ParameterField
            spec={spec}
            slot={slot}
            typed={typed}
            error={error?.parameter === spec.name ? error.message : null}
          />
        ))}
        <Select
          name={`${slot.key}.applies_to`}
          id={`field-${slot.key}-applies-to`}
          label={t('{title} applies to', { title })}
          required
          value={audience}
          options={[
            { value: 'everyone', label: t('Everyone') },
            { value: 'agents', label: t('Agents and their pull requests') },
          ]}
        />
      </div>
    </div>
  )
}
