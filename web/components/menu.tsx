import type { Child } from '../jsx/html.ts'
import { Icon, type IconName } from './icon.tsx'

export interface MenuItem {
  label: string
  href?: string
  icon?: IconName
  current?: boolean
  hint?: string
  /** A form in place of a link: an {@link ActionButton}. */
  form?: Child
}

/**
 * A menu that opens without the browser script. `summary` is the content of its button, `label` the
 * name for screen readers.
 */
export const Menu = (props: {
  summary: Child
  label: string
  items: readonly (MenuItem | 'line')[]
  head?: Child
  align?: 'left' | 'right'
  class?: string
  /** Styles the summary as a button with words. */
  button?: boolean
  /** Refers to drawings of the page, for menus that it has many times. */
  sharedIcons?: boolean
}) => (
  <details class={['menu', props.class]} data-menu>
    <summary class={props.button && 'btn btn-plain'} aria-label={props.label}>
      {props.summary}
      {props.button && <Icon name="chevron-down" />}
    </summary>
    <div class={['menu-panel', props.align === 'left' && 'menu-left']}>
      {props.head !== undefined && <div class="menu-head">{props.head}</div>}
      <ul>
        {props.items.map((item) =>
          item === 'line' ? (
            <li class="menu-line" aria-hidden="true" />
          ) : (
            <li>
              {item.form ?? (
                <a href={item.href} aria-current={item.current ? 'true' : undefined}>
                  {item.icon && <Icon name={item.icon} shared={props.sharedIcons} />}
                  <span>
                    {item.label}
                    {item.hint && <span class="menu-hint">{item.hint}</span>}
                  </span>
                  {item.current && <Icon name="check" />}
                </a>
              )}
            </li>
          ),
        )}
      </ul>
    </div>
  </details>
)

/** A panel with any content behind a button: clone addresses, filters. */
export const Dropdown = (props: {
  summary: Child
  label: string
  children?: Child
  align?: 'left' | 'right'
  class?: string
  sharedIcons?: boolean
}) => (
  <details class={['menu', props.class]} data-menu>
    <summary class="btn btn-plain" aria-label={props.label}>
      {props.summary}
      <Icon name="chevron-down" shared={props.sharedIcons} />
    </summary>
    <div class={['menu-panel', 'menu-roomy', props.align === 'left' && 'menu-left']}>
      {props.children}
    </div>
  </details>
)
