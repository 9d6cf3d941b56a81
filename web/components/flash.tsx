import type { Child } from '../jsx/html.ts'
import { Icon, type IconName } from './icon.tsx'

export type FlashKind = 'good' | 'bad' | 'info' | 'wait'

const icons: Record<FlashKind, IconName> = {
  good: 'check-circle',
  bad: 'warning',
  info: 'info',
  wait: 'clock',
}

/**
 * A message about what was just done, at the top of the next page. Screen readers announce errors
 * at once.
 */
export const Flash = ({ kind = 'info', children }: { kind?: FlashKind; children?: Child }) => (
  <div class={['notice', `notice-${kind}`]} role={kind === 'bad' ? 'alert' : 'status'}>
    <Icon name={icons[kind]} />
    <div>{children}</div>
  </div>
)

/** A permanent notice in a page. */
export const Notice = ({
  kind = 'info',
  title,
  children,
}: {
  kind?: FlashKind
  title?: string
  children?: Child
}) => (
  <div class={['notice', `notice-${kind}`]}>
    <Icon name={icons[kind]} />
    <div>
      {title && <p class="notice-title">{title}</p>}
      {children}
    </div>
  </div>
)
