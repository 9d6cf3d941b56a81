import { formatNumber } from '../format.ts'
import type { Child } from '../jsx/html.ts'
import { Icon, type IconName } from './icon.tsx'
import { t } from '../text.ts'

export interface Tab {
  label: string
  href: string
  icon?: IconName
  count?: number | null
  current?: boolean
  /** A keyboard shortcut such as `g i`. */
  hotkey?: string
}

const Count = ({ of }: { of?: number | null }) =>
  of ? <span class="count">{of > 9999 ? '9,999+' : formatNumber(of)}</span> : null

/** `current` is the value of `aria-current` for the open one: a page, or a choice. */
const TabLink = ({ tab, current }: { tab: Tab; current: 'page' | 'true' }) => (
  <a href={tab.href} aria-current={tab.current ? current : undefined} data-hotkey={tab.hotkey}>
    {tab.icon && <Icon name={tab.icon} />}
    <span>{tab.label}</span>
    <Count of={tab.count} />
  </a>
)

/** Tabs. The strip scrolls horizontally where it does not fit. */
export const Tabs = ({
  tabs,
  label,
  class: extra,
}: {
  tabs: readonly Tab[]
  label: string
  class?: string
}) => (
  <nav class={['tabs', extra]} aria-label={label}>
    <ul>
      {tabs.map((tab) => (
        <li>
          <TabLink tab={tab} current="page" />
        </li>
      ))}
    </ul>
  </nav>
)

/** Navigation beside the content of a settings page, above it on a phone. */
export const SideNav = ({
  groups,
  label,
}: {
  groups: readonly { title?: string; tabs: readonly Tab[] }[]
  label: string
}) => (
  <nav class="sidenav" aria-label={label}>
    {groups.map((group) => (
      <>
        {group.title && <p class="sidenav-title">{group.title}</p>}
        <ul>
          {group.tabs.map((tab) => (
            <li>
              <TabLink tab={tab} current="page" />
            </li>
          ))}
        </ul>
      </>
    ))}
  </nav>
)

/** Two columns: a navigation or a panel beside the content. */
export const Columns = ({
  side,
  children,
  where = 'left',
}: {
  side: Child
  children?: Child
  where?: 'left' | 'right'
}) => (
  <div class={`columns columns-${where}`}>
    {where === 'left' && <div class="column-side">{side}</div>}
    <div class="column-main">{children}</div>
    {where === 'right' && (
      <aside class="column-side" aria-label={t('Details')}>
        {side}
      </aside>
    )}
  </div>
)

/** A block of a side panel: title, value, and the form that changes it. */
export const SideBlock = ({
  title,
  action,
  children,
}: {
  title: string
  action?: Child
  children?: Child
}) => (
  <section class="side-block">
    <h2>
      {title}
      {action}
    </h2>
    {children}
  </section>
)

/** Filters of a list as links: open or closed, newest or oldest. */
export const FilterBar = ({
  label,
  filters,
  children,
}: {
  label: string
  filters: readonly Tab[]
  children?: Child
}) => (
  <div class="filter-bar">
    <nav aria-label={label}>
      <ul>
        {filters.map((filter) => (
          <li>
            <TabLink tab={filter} current="true" />
          </li>
        ))}
      </ul>
    </nav>
    {children !== undefined && <div class="filter-extra">{children}</div>}
  </div>
)
