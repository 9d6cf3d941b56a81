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

const classes = ({ variant: look = 'plain', small, class: extra }: ButtonProps, bare: boolean) => [
  'btn',
  `btn-${look}`,
  small && 'btn-small',
  bare && 'btn-square',
  extra,
]

/** A button of a form. With an icon and no words, give `label`. */
export const Button = (
  props: ButtonProps & {
    type?: 'submit' | 'button' | 'reset'
    name?: string
    value?: string
    disabled?: boolean
    label?: string
    form?: string
    formaction?: string
    formnovalidate?: boolean
    /** A key of the browser script that presses it while something of its row has the focus. */
    rowKey?: string
    /** Text that the browser script copies; without the script the button is not shown. */
    copy?: string
    /** Id of the element whose value or text the browser script copies. */
    copyFrom?: string
    /** Address of the text that the browser script copies. */
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
      {props.icon && <Icon name={props.icon} />}
      {props.children !== undefined && <span>{props.children}</span>}
    </button>
  )
}

/** A link that looks like a button: it leads somewhere and changes nothing. */
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

/** Buttons side by side that belong together. */
export const ButtonGroup = ({ label, children }: { label: string; children?: Child }) => (
  <div class="btn-group" role="group" aria-label={label}>
    {children}
  </div>
)
