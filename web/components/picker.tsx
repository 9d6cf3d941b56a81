// A searchable menu of choices: labels, people, teams, milestones, branches. It is a `details`
// element with links or checkboxes, so it works without the browser script, which searches a short
// list. A long one has its first options, and the server searches it: the search is sent with the
// form around it, or by a form of its own, whose page is shown again with what was found.
import type { Child } from '../jsx/html.ts'
import { Avatar, type ActorSummary } from './avatar.tsx'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Label, type LabelSummary } from './label.tsx'
import { FIND_FIELD, findFieldOf, foundFieldOf } from '../picker-search.ts'
import { firstItems, htmlBytes } from './text-beginning.tsx'
import { t, tn } from '../text.ts'

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

/** The search of a list of which the picker has a part. */
export type PickerSearch = {
  /** Names the picker within its page. */
  readonly key: string
  /** What was searched for. Null when nothing was. */
  readonly q: string | null
  /** Whether there are more options than these. */
  readonly hasMore: boolean
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
  /** Without it the options are all that there are. */
  search?: PickerSearch
}

/** Fewer options are read at once. */
const SEARCH_FROM = 8
/** The options of a longer list are shown without their hints. */
const MAX_HINTS = 40

const Content = ({ option }: { option: PickerOption }) => (
  <>
    {option.mark}
    <span class="picker-text">
      {option.shown ?? option.label}
      {option.hint && <span class="menu-hint">{option.hint}</span>}
    </span>
  </>
)

const SearchField = ({ label, search }: Pick<PickerProps, 'label' | 'search'>) => (
  <input
    class={['input picker-search', !search && 'js-only']}
    type="search"
    name={search && findFieldOf(search.key)}
    value={search?.q ?? undefined}
    maxlength={search && 100}
    placeholder={t('Filter')}
    aria-label={t('Filter {label}', { label: label.toLowerCase() })}
    autocomplete="off"
    data-find={search !== undefined}
  />
)

/** The search of a long list, with the button that sends it without the browser script. */
const ServerSearch = ({ label, search }: { label: string; search: PickerSearch }) => (
  <>
    <SearchField label={label} search={search} />
    <Button small class="no-js-only" name={FIND_FIELD} value={search.key} formnovalidate>
      {t('Find')}
    </Button>
  </>
)

/** Whether the server is searched: the list is longer than its options, or was searched. */
const isSearched = ({ search }: PickerProps): boolean =>
  search !== undefined && (search.hasMore || search.q !== null)

const Search = (props: PickerProps & { linkForm?: LinkForm }) => {
  const { label, search, linkForm } = props
  if (!search || !isSearched(props))
    return props.options.length >= (props.searchFrom ?? SEARCH_FROM) ? (
      <SearchField label={label} />
    ) : null
  return linkForm === undefined ? (
    <div class="picker-find">
      <input type="hidden" name={foundFieldOf(search.key)} value={search.q ?? ''} data-found />
      <ServerSearch label={label} search={search} />
    </div>
  ) : (
    <form class="picker-find" action={linkForm.action} method="get" role="search">
      {Object.entries(linkForm.fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <ServerSearch label={label} search={search} />
    </form>
  )
}

const noteOf = ({ search, empty }: PickerProps): Child =>
  search?.q ? t('Nothing found.') : (empty ?? t('Nothing to choose from.'))

/** The options, without hints where they are many. */
const shownOptions = ({ options }: PickerProps): readonly PickerOption[] =>
  options.length <= MAX_HINTS ? options : options.map((option) => ({ ...option, hint: null }))

const Frame = (props: PickerProps & { items: Child; note?: Child; linkForm?: LinkForm }) => (
  <details
    class="menu picker"
    data-menu
    data-picker
    open={props.open || typeof props.search?.q === 'string'}
  >
    <summary class={['btn btn-plain', props.small && 'btn-small']}>
      {props.summary ?? props.label}
      {props.summary !== undefined && <span class="unseen">: {props.label}</span>}
      <Icon name="chevron-down" />
    </summary>
    <div class={['menu-panel', props.align === 'left' && 'menu-left']}>
      <Search {...props} />
      {props.options.length === 0 ? (
        <p class="muted picker-note">{noteOf(props)}</p>
      ) : (
        <ul aria-label={props.label}>{props.items}</ul>
      )}
      {props.note}
      {props.children !== undefined && <div class="picker-foot">{props.children}</div>}
    </div>
  </details>
)

/** Where the search of a picker of links is sent, and the fields that keep the page as it is. */
type LinkForm = {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

/** A picker whose options are links: the filters of a list. */
export const LinkPicker = (props: PickerProps & { linkForm?: LinkForm }) => (
  <Frame
    {...props}
    items={shownOptions(props).map((option) => (
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

/** What a picker with a search has of the chosen options, and the markup of one. */
const MAX_CHOSEN_BYTES = 4_000
const CHOSEN_BYTES = 150

/** The options without those chosen that are too many to be shown. The search finds these. */
function splitChosen(props: PickerProps): {
  readonly options: readonly PickerOption[]
  readonly others: readonly PickerOption[]
} {
  const chosen = isSearched(props) ? props.options.filter((option) => option.chosen) : []
  const shown = firstItems(
    chosen,
    MAX_CHOSEN_BYTES,
    ({ label }) => CHOSEN_BYTES + 2 * htmlBytes(label),
  )
  const others = chosen.slice(shown.length)
  return { options: props.options.filter((option) => !others.includes(option)), others }
}

/** The chosen options that are not shown, in a field as people type names: separated by commas. */
const OtherChosen = ({ name, others }: { name: string; others: readonly PickerOption[] }) =>
  others.length === 0 ? null : (
    <p class="hint picker-others">
      <input
        type="hidden"
        name={name}
        value={others.map(({ value }) => value).join(', ')}
        data-more-chosen
      />
      {tn(
        '{count} more is chosen. Search to find it.',
        '{count} more are chosen. Search to find them.',
        others.length,
      )}
    </p>
  )

/**
 * A picker whose options are fields of the form around it: checkboxes, or radio buttons with
 * `single`. An empty field of the same name says that the page has the picker.
 */
export const FieldPicker = (props: PickerProps & { name: string; single?: boolean }) => {
  const { options, others } = splitChosen(props)
  return (
    <>
      {!props.single && <input type="hidden" name={props.name} value="" />}
      <Frame
        {...props}
        options={options}
        note={<OtherChosen name={props.name} others={others} />}
        items={shownOptions({ ...props, options }).map((option) => (
          <li>
            <label class="picker-item">
              <input
                type={props.single ? 'radio' : 'checkbox'}
                name={props.name}
                value={option.value}
                checked={option.chosen}
              />
              <Content option={option} />
            </label>
          </li>
        ))}
      />
    </>
  )
}

/**
 * The options of a list, with those chosen that are not among them: before them, or after what was
 * searched for.
 */
export function withChosen(
  options: readonly PickerOption[],
  chosen: readonly PickerOption[],
  search: PickerSearch,
): readonly PickerOption[] {
  const listed = new Set(options.map(({ value }) => value))
  const others = chosen.filter(({ value }) => !listed.has(value))
  return search.q === null ? [...others, ...options] : [...options, ...others]
}

export const labelOption = (label: LabelSummary): PickerOption => ({
  value: label.name,
  label: label.name,
  // The description is the hint, and no tooltip beside it.
  shown: <Label label={{ ...label, description: null }} />,
  hint: label.description,
})

export const personOption = (person: ActorSummary): PickerOption => ({
  value: person.username,
  label: person.name ? `${person.username} ${person.name}` : person.username,
  shown: person.username,
  mark: <Avatar of={person} />,
  hint: person.name,
})
