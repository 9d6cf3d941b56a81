import type { Child } from '../jsx/html.ts'
import { Icon, type IconName } from './icon.tsx'

export type ButtonVariant = 'plain' | 'primary' | 'danger' | 'quiet'

interface ButtonProps {
  variant?: ButtonVariant
  small?: boolean
  icon?: IconName
  class?: string
  children?: Child
}

const classes = ({ variant: style = 'plain', small, class: extra }: ButtonProps, bare: boolean) => [
  'btn',
  `btn-${style}`,
  small && 'btn-small',
  bare && 'btn-square',
  extra,
]

/** A button of a form. One with only an icon needs a `label`. */
export const Button = (
  props: ButtonProps & {
    type?: 'submit' | 'button' | 'reset'
    name?: string
    value?: string
    disabled?: boolean
    label?: string
    /** The page has the button many times (`Icon`). */
    sharedIcon?: boolean
    form?: string
    formaction?: string
    formnovalidate?: boolean
    /** A keyboard shortcut that presses the button while its row has the focus. */
    rowKey?: string
    /** A text to copy. Without the browser script the button is hidden. */
    copy?: string
    /** The id of the element whose value or text is copied. */
    copyFrom?: string
    /** The address of a text to copy. */
    copyAddress?: string
  },
) => {
  const copies =
    props.copy !== undefined || props.copyFrom !== undefined || props.copyAddress !== undefined
  return (
    <button
      type={copies ? 'button' : (props.type ?? 'submit')}
      class={[...classes(props, props.children === undefined), copies && 'js-only']}
      name={props.name}
      value={props.value}
      disabled={props.disabled}
      form={props.form}
      formaction={props.formaction}
      formnovalidate={props.formnovalidate}
      aria-label={props.label}
      title={props.children === undefined ? props.label : undefined}
      data-row-key={props.rowKey}
      data-copy={props.copy}
      data-copy-from={props.copyFrom}
      data-copy-address={props.copyAddress}
    >
      {props.icon && <Icon name={props.icon} shared={props.sharedIcon} />}
      {props.children !== undefined && <span>{props.children}</span>}
    </button>
  )
}

/** A link styled as a button. It navigates and changes nothing. */
export const LinkButton = (
  props: ButtonProps & {
    href: string
    label?: string
    download?: boolean
    rel?: string
    hotkey?: string
    current?: boolean
  },
) => (
  <a
    class={classes(props, props.children === undefined)}
    href={props.href}
    aria-label={props.label}
    title={props.children === undefined ? props.label : undefined}
    download={props.download}
    rel={props.rel}
    data-hotkey={props.hotkey}
    aria-current={props.current ? 'page' : undefined}
  >
    {props.icon && <Icon name={props.icon} />}
    {props.children !== undefined && <span>{props.children}</span>}
  </a>
)

/** A group of related buttons. */
export const ButtonGroup = ({ label, children }: { label: string; children?: Child }) => (
  <div class="btn-group" role="group" aria-label={label}>
    {children}
  </div>
)
