import { icons, type IconName } from '../../assets/icons.ts'
import type { Html } from '../jsx/html.ts'

export type { IconName }

/** Icons that point forward or back, and the other way in languages written from right to left. */
const POINTING: ReadonlySet<IconName> = new Set([
  'arrow-left',
  'arrow-right',
  'chevron-left',
  'chevron-right',
  'logout',
])

type IconProps = {
  name: IconName
  size?: number
  label?: string
  class?: string
  /** Refers to the drawing in the `IconDrawings` of the page, for icons that it has many times. */
  shared?: boolean
}

/** Shared icons of the usual size get it from the style sheet. */
const renderIcon = ({ name, size, label, class: extra, shared }: IconProps) => (
  <svg
    class={['icon', POINTING.has(name) && 'icon-points', extra]}
    viewBox={shared ? undefined : '0 0 16 16'}
    width={size ?? (shared ? undefined : 16)}
    height={size ?? (shared ? undefined : 16)}
    role={label ? 'img' : undefined}
    aria-label={label}
    aria-hidden={label ? undefined : 'true'}
  >
    {shared ? <use href={`#icon-${name}`} /> : <path d={icons[name]} />}
  </svg>
)

/** The drawings that shared icons of a page refer to. */
export const IconDrawings = ({ names }: { names: readonly IconName[] }) => (
  <svg class="icon-drawings" aria-hidden="true">
    {names.map((name) => (
      <symbol id={`icon-${name}`} viewBox="0 0 16 16">
        <path d={icons[name]} />
      </symbol>
    ))}
  </svg>
)

/** Icons of the usual size beside words, of which a page has dozens. */
const PLAIN_ICONS: ReadonlyMap<string, Html> = new Map(
  (Object.keys(icons) as IconName[]).map((name) => [name, renderIcon({ name })]),
)

/** An icon beside words. With `label` it replaces the words and screen readers read it. */
export const Icon = (props: IconProps): Html =>
  (props.size === undefined &&
  props.label === undefined &&
  props.class === undefined &&
  !props.shared
    ? PLAIN_ICONS.get(props.name)
    : undefined) ?? renderIcon(props)

/** The logo: a flame under an arch. */
export const Mark = ({ size = 28 }: { size?: number }) => (
  <svg class="mark" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
    <path class="mark-arch" d="M5.5 27V15.5a10.5 10.5 0 0 1 21 0V27M2.5 28h27" />
    <path
      class="mark-flame"
      d="M16.3 9.5c.6 3.6 5.2 5.2 5.2 10.4a5.5 5.5 0 0 1-11 .2c0-2.2 1.1-3.6 2.3-4.9.3 1.3.9 2 1.7 2.4-.4-3 .4-5.9 1.8-8.1Z"
    />
    <path
      class="mark-heart"
      d="M16.2 25.6a2.6 2.6 0 0 1-2.6-2.7c0-1.7 1.5-2.5 2.3-4.2 1 1.5 2.9 2.4 2.9 4.3a2.6 2.6 0 0 1-2.6 2.6Z"
    />
  </svg>
)
