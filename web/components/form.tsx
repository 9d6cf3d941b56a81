// Forms, which work without the browser script: every change is a POST with the CSRF field, and a
// refused form returns with the typed values and the message beside its field. `aria-describedby`
// ties hint and error to the field.
import { raw, renderChild, type Child, type Html } from '../jsx/html.ts'
import { previewPath, repoPath } from '../paths.ts'
import { Icon } from './icon.tsx'
import { ENTER_FIELD, FIND_FIELD } from '../picker-search.ts'
import { firstItems, htmlBytes } from './text-beginning.tsx'
import { t } from '../text.ts'

/** The name of the hidden field with the CSRF token. */
export const CSRF_FIELD = 'csrf'

/** The CSRF token, which every changing form has. */
export const CsrfField = ({ csrf }: { csrf: string }) => (
  <input type="hidden" name={CSRF_FIELD} value={csrf} />
)

/**
 * A form that changes something (POST, with `csrf`) or a search (`method="get"`). `error` is a
 * message about the whole form, `inline` puts its parts in a row.
 */
export const Form = (props: {
  action: string
  csrf?: string
  method?: 'get' | 'post'
  error?: string | null
  inline?: boolean
  /** Sends the form when its picker closes with another choice. */
  saveOnClose?: boolean
  id?: string
  class?: string
  label?: string
  /** The id of the list in the page of a search, which the script fills while one types. */
  listSearch?: string
  children?: Child
}) => {
  const method = props.method ?? 'post'
  const inside = raw(renderChild(props.children))
  if (method === 'post' && !props.csrf)
    throw new TypeError(`the form to ${props.action} has no csrf token`)
  return (
    <form
      id={props.id}
      class={[props.inline ? 'form-inline' : 'form', props.class]}
      action={props.action}
      method={method}
      enctype={sendsFiles(inside) ? 'multipart/form-data' : undefined}
      aria-label={props.label}
      data-once={method === 'post'}
      data-list-search={props.listSearch}
      data-save-on-close={props.saveOnClose}
    >
      {method === 'post' && props.csrf && <CsrfField csrf={props.csrf} />}
      {props.error && <FormError>{props.error}</FormError>}
      {!props.saveOnClose && hasSearch(inside) && (
        <button
          type="submit"
          hidden
          name={method === 'post' && ENTER_FIELD}
          value="1"
          formnovalidate
          data-enter
        >
          {t('Save')}
        </button>
      )}
      {inside}
    </form>
  )
}

/**
 * The Enter key in a text field presses the first button of a form, which would be that of the search of a
 * picker. A hidden one before it says that Enter was pressed (`picker-search.ts`). A search needs no other field, so
 * this button checks none; the server does.
 */
const hasSearch = (inside: Html): boolean => inside.toString().includes(` name="${FIND_FIELD}"`)

/** Without this encoding a browser would send the name of a file in place of its bytes. */
const sendsFiles = (inside: Html): boolean => inside.toString().includes(' type="file"')

/** A message about the whole form, which screen readers announce at once. */
export const FormError = ({ children }: { children?: Child }) => (
  <div class="notice notice-bad" role="alert">
    <Icon name="warning" />
    <div>{children}</div>
  </div>
)

interface FieldBase {
  /** The name of the field, and its id unless `id` is set. */
  name: string
  label: string
  id?: string
  hint?: Child
  error?: string | null
  required?: boolean
  disabled?: boolean
  /** Hides the label visually; screen readers keep it. */
  hideLabel?: boolean
  /** For forms without required fields: omits the word "optional" beside every label. */
  unmarked?: boolean
}

const idOf = (props: { name: string; id?: string }): string =>
  props.id ?? `field-${props.name.replaceAll('.', '-')}`

const describedBy = (props: FieldBase): string | undefined => {
  const parts = [
    props.error && `${idOf(props)}-error`,
    props.hint !== undefined && `${idOf(props)}-hint`,
  ].filter(Boolean)
  return parts.length ? parts.join(' ') : undefined
}

/** A longer label is a sentence. */
const MAX_NAME_WORDS = 3

/** A message that begins with the name of its input begins with the label, by which people know it. */
function errorOf({ name, label, error }: FieldBase): string {
  const text = error ?? ''
  const input = text.slice(0, Math.max(0, text.indexOf(' ')))
  const isNamed = input.replace(/\[\d+\]$/, '').toLowerCase() === name.toLowerCase()
  return isNamed && label.split(' ').length <= MAX_NAME_WORDS
    ? label + text.slice(input.length)
    : text
}

const FieldFrame = ({ field, children }: { field: FieldBase; children?: Child }) => (
  <div class={['field', field.error && 'field-bad']}>
    <label class={field.hideLabel ? 'unseen' : undefined} for={idOf(field)}>
      {field.label}
      {!field.required && !field.hideLabel && !field.unmarked && (
        // The space parts the words for screen readers, and the letters of Arabic.
        <>
          {' '}
          <span class="optional">{t('optional')}</span>
        </>
      )}
    </label>
    {children}
    {field.error && (
      <p class="field-error" id={`${idOf(field)}-error`}>
        <Icon name="warning" />
        {errorOf(field)}
      </p>
    )}
    {field.hint !== undefined && (
      <p class="hint" id={`${idOf(field)}-hint`}>
        {field.hint}
      </p>
    )}
  </div>
)

type FieldProps = FieldBase & {
  type?: 'text' | 'email' | 'password' | 'url' | 'search' | 'number' | 'date' | 'tel' | 'file'
  value?: string | number | null
  placeholder?: string
  autocomplete?: string
  autofocus?: boolean
  inputmode?: 'text' | 'numeric' | 'email' | 'url' | 'search' | 'decimal' | 'none' | 'tel'
  pattern?: string
  minlength?: number
  maxlength?: number
  min?: number | string
  max?: number | string
  spellcheck?: boolean
  mono?: boolean
  readonly?: boolean
  /** Several files. */
  multiple?: boolean
  /** Values to complete from. Any other value can be typed, so of many the first are suggested. */
  suggestions?: readonly string[]
  /** The id of another field whose suggestions are those of this one, too. */
  suggestionsOf?: string
}

/** What a field has of suggestions, and the markup of one. */
const MAX_SUGGESTIONS_BYTES = 8_000
const SUGGESTION_BYTES = 26

const listIdOf = (props: FieldProps): string | undefined =>
  props.suggestionsOf !== undefined
    ? `${props.suggestionsOf}-list`
    : props.suggestions && `${idOf(props)}-list`

/** A one-line field with its label. A password is never sent back. */
export const Field = (props: FieldProps) => (
  <FieldFrame field={props}>
    <input
      class={['input', props.mono && 'mono']}
      dir={props.mono || (props.type ?? 'text') !== 'text' ? undefined : 'auto'}
      id={idOf(props)}
      name={props.name}
      type={props.type ?? 'text'}
      value={props.type === 'password' || props.type === 'file' ? undefined : props.value}
      placeholder={props.placeholder}
      autocomplete={props.autocomplete}
      autocapitalize={props.type === 'email' || props.mono ? 'none' : undefined}
      autofocus={props.autofocus}
      inputmode={props.inputmode}
      pattern={props.pattern}
      minlength={props.minlength}
      maxlength={props.maxlength}
      min={props.min}
      max={props.max}
      required={props.required}
      disabled={props.disabled}
      readonly={props.readonly}
      multiple={props.multiple}
      spellcheck={props.spellcheck === false || props.mono ? 'false' : undefined}
      list={listIdOf(props)}
      aria-invalid={props.error ? 'true' : undefined}
      aria-describedby={describedBy(props)}
    />
    {props.suggestions && (
      <datalist id={`${idOf(props)}-list`}>
        {firstItems(
          props.suggestions,
          MAX_SUGGESTIONS_BYTES,
          (word) => SUGGESTION_BYTES + htmlBytes(word),
        ).map((word) => (
          <option value={word} />
        ))}
      </datalist>
    )}
  </FieldFrame>
)

/**
 * The attributes of a Markdown field: completion of names and numbers, pasted and dropped files,
 * and a saved draft. `repo` is the repository that the text belongs to.
 */
export const markdownTyping = (
  repo: string,
): { 'data-complete': string; 'data-attach': string; 'data-draft': string } => ({
  'data-complete': repoPath(repo, '/complete'),
  'data-attach': repoPath(repo, '/attachments'),
  'data-draft': '',
})

/**
 * Chooses files for a Markdown field, `name` with the id `of`. The browser script uploads them at
 * once; without it they are sent with the form and added to the end of the text.
 */
export const AttachField = ({ name, of }: { name: string; of: string }) => (
  <div class="attach">
    <label class="btn btn-quiet btn-small" for={`${of}-files`}>
      <Icon name="upload" />
      {t('Attach files')}
    </label>
    <input
      type="file"
      id={`${of}-files`}
      name={`attach:${name}`}
      multiple
      data-attach-to={of}
      aria-describedby={`${of}-files-status`}
    />
    <span class="hint" id={`${of}-files-status`} role="status" data-attach-status={of}></span>
  </div>
)

/**
 * A field of several lines, which grows with its content. `markdown` names the repository that the
 * text belongs to.
 */
export const TextArea = (
  props: FieldBase & {
    value?: string | null
    rows?: number
    placeholder?: string
    maxlength?: number
    mono?: boolean
    autofocus?: boolean
    form?: string
    markdown?: string
    /** The text is a page of the wiki. */
    wiki?: boolean
  },
) => (
  <FieldFrame field={props}>
    <textarea
      class={['input', props.mono && 'mono']}
      dir={props.mono ? undefined : 'auto'}
      id={idOf(props)}
      name={props.name}
      rows={props.rows ?? 5}
      placeholder={props.placeholder}
      maxlength={props.maxlength}
      required={props.required}
      disabled={props.disabled}
      autofocus={props.autofocus}
      form={props.form}
      spellcheck={props.mono ? 'false' : undefined}
      aria-invalid={props.error ? 'true' : undefined}
      aria-describedby={describedBy(props)}
      data-autosize
      {...(props.markdown === undefined ? {} : markdownTyping(props.markdown))}
    >
      {props.value}
    </textarea>
    {props.markdown !== undefined && (
      <div class="writing-tools">
        <AttachField name={props.name} of={idOf(props)} />
        <input
          type="button"
          class="btn btn-quiet btn-small js-only preview-button"
          data-at={previewPath(props.markdown, props.name, props.wiki ? 'wiki' : undefined)}
          data-preview={idOf(props)}
          aria-expanded="false"
          value={t('Preview')}
        />
      </div>
    )}
  </FieldFrame>
)

export interface Option {
  value: string
  label: string
  disabled?: boolean
}

/** A select. */
export const Select = (
  props: FieldBase & {
    options: readonly Option[]
    value?: string | null
    /** The options are names, which are the same in every language. */
    areNames?: boolean
  },
) => (
  // A choice is always made, so it is never marked as optional.
  <FieldFrame field={{ ...props, unmarked: true }}>
    <span class="select">
      <select
        translate={props.areNames ? 'no' : undefined}
        class="input"
        id={idOf(props)}
        name={props.name}
        // HTML allows it only with a first option without a value. Others always have a choice.
        required={props.required && props.options[0]?.value === ''}
        disabled={props.disabled}
        aria-invalid={props.error ? 'true' : undefined}
        aria-describedby={describedBy(props)}
      >
        {props.options.map((option) => (
          <option
            value={option.value}
            selected={option.value === props.value}
            disabled={option.disabled}
          >
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" />
    </span>
  </FieldFrame>
)

interface ChoiceProps {
  name: string
  label: Child
  value?: string
  checked?: boolean
  required?: boolean
  disabled?: boolean
  hint?: Child
  id?: string
}

const ChoiceInput = ({ kind, props }: { kind: 'checkbox' | 'radio'; props: ChoiceProps }) => {
  const id =
    props.id ??
    `field-${props.name.replaceAll('.', '-')}${props.value === undefined ? '' : `-${props.value.replace(/[^\w-]+/g, '-')}`}`
  return (
    <div class="tick">
      <input
        type={kind}
        id={id}
        name={props.name}
        value={props.value ?? (kind === 'checkbox' ? 'true' : undefined)}
        checked={props.checked}
        required={props.required}
        disabled={props.disabled}
        aria-describedby={props.hint === undefined ? undefined : `${id}-hint`}
      />
      <label for={id}>{props.label}</label>
      {props.hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
    </div>
  )
}

/** A checkbox. It sends `true` (or `value`) when ticked, else nothing. */
export const Checkbox = (props: ChoiceProps) => <ChoiceInput kind="checkbox" props={props} />

/** A radio button. Those of one {@link FieldSet} share a `name`. */
export const Radio = (props: ChoiceProps & { value: string }) => (
  <ChoiceInput kind="radio" props={props} />
)

/** Checkboxes or radio buttons for one question. */
export const FieldSet = ({
  legend,
  hint,
  error,
  children,
}: {
  legend: string
  hint?: Child
  error?: string | null
  children?: Child
}) => (
  <fieldset class={['fieldset', error && 'field-bad']}>
    <legend>{legend}</legend>
    {hint !== undefined && <p class="hint">{hint}</p>}
    {children}
    {error && (
      <p class="field-error">
        <Icon name="warning" />
        {error}
      </p>
    )}
  </fieldset>
)

/** The buttons at the end of a form. */
export const FormActions = ({ children }: { children?: Child }) => (
  <div class="form-actions">{children}</div>
)

/** A form with a single button: close, star, delete. Buttons elsewhere on the page name its `id`. */
export const ActionButton = (props: {
  id?: string
  action: string
  csrf: string
  values?: Record<string, string>
  class?: string
  children?: Child
}) => (
  <form
    id={props.id}
    class={['form-button', props.class]}
    action={props.action}
    method="post"
    hidden={props.children === undefined}
    data-once
  >
    <CsrfField csrf={props.csrf} />
    {Object.entries(props.values ?? {}).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    {props.children}
  </form>
)
