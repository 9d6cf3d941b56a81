// A searchable menu of choices: labels, people, teams, milestones, branches. It is a `details`
// element with links or checkboxes, so it works without the browser script, which adds the search.
import type { Child } from '../jsx/html.ts'
import { Avatar, type ActorSummary } from './avatar.tsx'
import { Icon } from './icon.tsx'
import { Label, type LabelSummary } from './label.tsx'
import { t } from '../text.ts'

export interface PickerOption {
  /** The value of its field. */
  value?: string
  /** The text that is searched and shown, unless `shown` replaces it. */
  label: string
  shown?: Child
  mark?: Child
  hint?: string | null
  chosen?: boolean
  /** The address that applies the choice, in a picker of links. */
  href?: string
}

type PickerProps = {
  /** What is chosen: "Labels". */
  label: string
  /** The content of the button, the label unless given. */
  summary?: Child
  options: readonly PickerOption[]
  /** A note in place of an empty list. */
  empty?: Child
  /** Content below the list: fields for other values, a button. */
  children?: Child
  align?: 'left' | 'right'
  small?: boolean
  open?: boolean
  /** A filter is shown from this number of options. */
  searchFrom?: number
}

/** Fewer options are read at once. */
const SEARCH_FROM = 8

const Content = ({ option }: { option: PickerOption }) => (
  <>
    {option.mark}
    <span class="picker-text">
      {option.shown ?? option.label}
      {option.hint && <span class="menu-hint">{option.hint}</span>}
    </span>
  </>
)

const Frame = (props: PickerProps & { items: Child }) => (
  <details class="menu picker" data-menu data-picker open={props.open}>
    <summary class={['btn btn-plain', props.small && 'btn-small']}>
      {props.summary ?? props.label}
      {props.summary !== undefined && <span class="unseen">: {props.label}</span>}
      <Icon name="chevron-down" />
    </summary>
    <div class={['menu-panel', props.align === 'left' && 'menu-left']}>
      {props.options.length >= (props.searchFrom ?? SEARCH_FROM) && (
        <input
          class="input js-only picker-search"
          type="search"
          placeholder={t('Filter')}
          aria-label={t('Filter {label}', { label: props.label.toLowerCase() })}
          autocomplete="off"
        />
      )}
      {props.options.length === 0 ? (
        <p class="muted picker-note">{props.empty ?? t('Nothing to choose from.')}</p>
      ) : (
        <ul aria-label={props.label}>{props.items}</ul>
      )}
      {props.children !== undefined && <div class="picker-foot">{props.children}</div>}
    </div>
  </details>
)

/** A picker whose options are links: the filters of a list. */
export const LinkPicker = (props: PickerProps) => (
  <Frame
    {...props}
    items={props.options.map((option) => (
      <li>
        <a
          class="picker-item"
          href={option.href}
          aria-current={option.chosen ? 'true' : undefined}
          rel="nofollow"
        >
          <Content option={option} />
          {option.chosen && <Icon name="check" />}
        </a>
      </li>
    ))}
  />
)

/**
 * A picker whose options are fields of the form around it: checkboxes, or radio buttons with
 * `single`. An empty field of the same name says that the page has the picker.
 */
export const FieldPicker = (props: PickerProps & { name: string; single?: boolean }) => (
  <>
    {!props.single && <input type="hidden" name={props.name} value="" />}
    <Frame
      {...props}
      items={props.options.map((option) => (
        <li>
          <label class="picker-item">
            <input
              type={props.single ? 'radio' : 'checkbox'}
              name={props.name}
              value={option.value}
              checked={option.chosen}
              data-shown={option.label}
            />
            <Content option={option} />
          </label>
        </li>
      ))}
    />
  </>
)

export const labelOption = (label: LabelSummary): PickerOption => ({
  value: label.name,
  label: label.name,
  shown: <Label label={label} />,
  hint: label.description,
})

export const personOption = (person: ActorSummary): PickerOption => ({
  value: person.username,
  label: person.name ? `${person.username} ${person.name}` : person.username,
  shown: person.username,
  mark: <Avatar of={person} />,
  hint: person.name,
})
